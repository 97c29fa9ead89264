/** Resolves a project's languages to the service's codes. */
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

const list = { resource: "translate_text", include: ["beta", "external"] } as const

/**
 * Returns a function that resolves a code in the cached list. Without a list, codes stay unchanged.
 */
export const listing = Effect.gen(function*() {
  const { resolve, targets } = yield* Languages
  const isListed = Option.isSome(yield* Effect.option(Effect.timeout(targets(list), "10 seconds")))
  return (side: "source" | "target", code: string): Effect.Effect<Result.Result<string, string>> =>
    isListed
      ? Effect.match(resolve({ ...list, side, code }), {
        onSuccess: (language) => Result.succeed(language.code),
        onFailure: (error) => {
          if (error._tag !== "UnknownLanguage") return Result.succeed(code)
          const nearest = error.nearest === undefined ? "" : `; the nearest is ${error.nearest}`
          return Result.fail(`${code} is not a ${side} language of the service${nearest}`)
        }
      })
      : Effect.succeed(Result.succeed(code))
})
