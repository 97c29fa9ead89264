import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { check, refused, that } from "./check.ts"
import { refusal, send, withKey } from "./host.ts"
import type { Check } from "./model.ts"

const wrongKey = Redacted.make("effect-lingua-conformance-wrong-key")

/** Fails unless the key is refused: `AccessDenied` for a 403 without details, `InvalidKey` for a 401. */
const refusedKey = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  call: Effect.Effect<A, E, R>
) => refused(call, "InvalidKey", "AccessDenied")

/** Permanent errors after which no call can succeed. */
const permanentErrors: ReadonlySet<string> = new Set(["ConnectionFailed", "InvalidKey", "AccessDenied"])

/** The precondition of all other checks. The service counts no characters for its call. */
export const probe: Check = check(
  "Access: the host responds and accepts the key",
  { source: "Authentication" },
  () =>
    Languages.use((languages) => languages.resources).pipe(
      Effect.catch((error) => error.isTransient || permanentErrors.has(error._tag) ? Effect.fail(error) : Effect.void)
    )
)

export const access: ReadonlyArray<Check> = [
  check("Access: a wrong key is refused by each service", { source: "Errors" }, () =>
    withKey(
      wrongKey,
      Effect.gen(function*() {
        const [detection, documents, languages, rules, translation, writing] = yield* Effect.all([
          Detection,
          Documents,
          Languages,
          StyleRules,
          Translation,
          Writing
        ])
        const text = ["a"]
        yield* refusedKey(detection.detect({ text }))
        yield* refusedKey(documents.download({ documentId: DocumentId.make("0".repeat(32)), documentKey: wrongKey }))
        yield* refusedKey(languages.resources)
        yield* refusedKey(rules.listPage())
        yield* refusedKey(translation.translate({ text, targetLanguage: "de" }))
        yield* refusedKey(writing.correct({ text }))
      })
    )),
  check("Access: a request without a key is refused", { source: "Errors" }, function*() {
    yield* refusal(yield* send("GET", "/v3/languages/resources", { authorized: false }), 403, 401)
    const body = { text: ["a"], target_lang: "de" }
    yield* refusal(yield* send("POST", "/v2/translate", { authorized: false, body }), 403, 401)
  }),
  check("Access: a scoped key is refused without the scope of the operation", {
    source: "Authentication 3",
    needs: ["scopedKey"]
  }, ({ scopedKey }) =>
    withKey(
      scopedKey,
      Effect.gen(function*() {
        const languages = yield* Languages
        const error = yield* refused(languages.resources, "MissingScope", "AccessDenied")
        yield* that(
          error._tag !== "MissingScope" || error.scopes.includes("languages:read"),
          "the scope languages:read is named",
          error.message
        )
      })
    )),
  check("Access: text improvement and style rules are refused to a key of the free tier", {
    source: "Authentication 4 and 6",
    needs: ["freeKey"]
  }, ({ freeKey }) =>
    withKey(
      freeKey,
      Effect.gen(function*() {
        const rules = yield* StyleRules
        const writing = yield* Writing
        yield* refused(rules.listPage(), "WrongTier", "AccessDenied")
        yield* refused(writing.correct({ text: ["a"] }), "WrongTier", "AccessDenied")
      })
    )),
  check("Access: detection is refused to an account that has not opted in", {
    source: "Authentication 5",
    needs: ["keyWithoutDetection"]
  }, ({ keyWithoutDetection }) =>
    withKey(
      keyWithoutDetection,
      Detection.use((detection) => refused(detection.detect({ text: ["a"] }), "AccessDenied"))
    ))
]
