import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import { type Fake, FakeState } from "./state.ts"

type Groups = typeof LanguageServiceApi extends HttpApi.HttpApi<string, infer Groups> ? Groups : never

export const group = <const Name extends HttpApiGroup.Identifier<Groups>, Return>(
  name: Name,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<HttpApiGroup.WithIdentifier<Groups, Name>>,
    fake: Fake
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>
) =>
  Layer.unwrap(
    Effect.map(FakeState, (fake) => HttpApiBuilder.group(LanguageServiceApi, name, (handlers) => build(handlers, fake)))
  )
