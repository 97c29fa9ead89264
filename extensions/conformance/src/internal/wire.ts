/** Checks of all responses, and of requests that match no operation. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { check, that } from "./check.ts"
import { isJson, read, refusal, send } from "./host.ts"
import type { Check } from "./model.ts"

export const wire: ReadonlyArray<Check> = [
  check("Wire: a response is JSON, and its trace id, if any, is unique", {}, function*() {
    const path = "/v3/languages/resources"
    const answers = [yield* send("GET", path), yield* send("GET", path)]
    for (const answer of answers) {
      yield* read(Schema.Array(Schema.Struct({ name: Schema.String })), answer)
    }
    const wrong = yield* send("GET", "/v3/languages?resource=no-such-resource")
    yield* refusal(wrong, 400)
    answers.push(wrong)
    yield* Effect.forEach(answers, isJson)
    const traceIds = answers.flatMap(({ headers }) => headers["x-trace-id"] ?? [])
    yield* that(new Set(traceIds).size === traceIds.length, "another X-Trace-ID for each response", traceIds)
  }),
  check("Wire: an unknown path is refused with 404, and an unknown method with 404 or 405", {}, function*() {
    yield* refusal(yield* send("GET", "/v3/no-such-path"), 404)
    yield* refusal(yield* send("DELETE", "/v3/languages/resources"), 404, 405)
    yield* refusal(yield* send("GET", "/v2/translate"), 404, 405)
  }),
  check(
    "Wire: an impossible id in a path is refused with 404 or 400",
    {},
    () =>
      Effect.forEach(
        ["/v3/glossaries/none", "/v3/translation_memories/none", "/v3/translation_memories/jobs/none"],
        (path) => Effect.flatMap(send("GET", path), (answer) => refusal(answer, 404, 400))
      )
  )
]
