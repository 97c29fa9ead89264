/** A client that knows nothing but a journal, and goes on with what is there. */
import { Documents } from "@effect-lingua/core/documents/Documents"
import { idOf } from "@effect-lingua/core/documents/Journal"
import { NodeDocuments, type ResumeOptions } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Order } from "./killable.ts"

/** A client that asks often and knows nothing but the journal in a folder. */
export const clientOf = ({ journal, key = "fake-key", url }: Pick<Order, "journal" | "key" | "url">) =>
  NodeLanguageService.layer({
    key: Redacted.make(key),
    baseUrl: url,
    journal: { folder: journal },
    resilience: {
      pollBase: Duration.millis(10),
      pollCap: Duration.millis(10),
      backoffBase: Duration.millis(1),
      throttleBase: Duration.millis(1)
    }
  })

/** Goes on with all that the journal has, again and again until nothing is left but what is lost. Gives the failures. */
export const resumeAll = Effect.fnUntraced(function*(options: Omit<ResumeOptions, "entryId">, rounds = 3) {
  const documents = yield* Documents
  const files = yield* NodeDocuments
  const failures: Array<Effect.Error<ReturnType<NodeDocuments["Service"]["resume"]>>> = []
  for (let round = 0; round < rounds; round++) {
    for (const entry of yield* documents.pending) {
      if (entry._tag === "Lost" && round > 0) continue
      const result = yield* Effect.result(files.resume({ entryId: idOf(entry), ...options }))
      if (result._tag === "Failure") failures.push(result.failure)
    }
  }
  return failures
})
