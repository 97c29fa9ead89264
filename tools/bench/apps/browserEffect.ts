/** `effect` without this library, over `fetch`. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { translate } from "./effect.ts"

export const run = (url: string) => translate(url).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
