import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"

type Groups = typeof LanguageServiceApi extends HttpApi.HttpApi<string, infer Groups> ? Groups : never

export const group = <const Name extends HttpApiGroup.Identifier<Groups>, Return>(
  name: Name,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<HttpApiGroup.WithIdentifier<Groups, Name>>
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>
) => HttpApiBuilder.group(LanguageServiceApi, name, build)
