/** The client, loaded only by commands that call the service. */
import * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import * as Admin from "@effect-lingua/core/account/Admin"
import type * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Journal from "@effect-lingua/core/documents/Journal"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import type { Requirements } from "@effect-lingua/core/LanguageServiceClient"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import * as Events from "@effect-lingua/core/telemetry/Events"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tell } from "../screen/screen.ts"
import { FileUnusable } from "../settings/errors.ts"
import * as Settings from "../settings/settings.ts"

export * as Admin from "@effect-lingua/core/account/Admin"
export * as Usage from "@effect-lingua/core/account/Usage"
export { CustomRequests } from "@effect-lingua/core/call/CustomRequests"
export { Documents } from "@effect-lingua/core/documents/Documents"
export { Journal }
export { InvalidEntries } from "@effect-lingua/core/errors/CallError"
export { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
export * as GlossariesPlan from "@effect-lingua/core/glossaries/GlossariesPlan"
export * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
export { Languages } from "@effect-lingua/core/languages/Languages"
export * as QualityEvaluation from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
export { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
export * as StyleRulesPlan from "@effect-lingua/core/style-rules/StyleRulesPlan"
export { Detection } from "@effect-lingua/core/texts/Detection"
export * as Placeholders from "@effect-lingua/core/texts/Placeholders"
export { Translation } from "@effect-lingua/core/texts/Translation"
export { Writing } from "@effect-lingua/core/texts/Writing"
export { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
export { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
export * as NodeFile from "@effect-lingua/node/files/NodeFile"
export { NodeTranslationMemories } from "@effect-lingua/node/files/NodeTranslationMemories"

/** All services over the network, through the proxy of the environment, with their journal and their cache. */
export const layer = <A>(
  options: LanguageServiceConfig.Options,
  cache: boolean,
  added: Layer.Layer<A, never, Requirements>
) => {
  const services = Layer.merge(OtherServices.layer, added).pipe(
    Layer.provideMerge(NodeLanguageService.layer({ ...options, pool: { proxy: "environment" } })),
    Layer.provideMerge(NodeJournal.layer())
  )
  return cache ? Layer.provideMerge(NodeResultCache.layer(), services) : services
}

/** Administration over the network, through the proxy of the environment. */
export const layerAdmin = (options: Admin.Options) =>
  Admin.layer(options).pipe(
    Layer.provide(NodePool.layerHttpClient({ proxy: "environment" })),
    Layer.provideMerge(Events.layer)
  )

/** Reads from the journal, and fails if it cannot be read: that is not an empty journal. */
export const looked = Effect.fnUntraced(function*<A, E, R>(look: Effect.Effect<A, E, R>) {
  const journal = yield* Journal.Journal
  const found = yield* look
  const reason = yield* journal.unreadable()
  return reason === undefined
    ? found
    : yield* new FileUnusable({ message: `the journal of documents cannot be read: ${reason}` })
})

/** All documents and uploads of the journal. */
export const entries = looked(Journal.Journal.use((journal) => journal.entries()))

/** One of them. */
export const entry = (id: string) => looked(Journal.Journal.use((journal) => journal.get(id)))

/** Those of the journal of this user, for any service. */
export const journalEntries = Effect.provide(entries, NodeJournal.layer())

/** The least wait that is reported without `--verbose`: the program would seem to hang. */
const longWait = Duration.seconds(2)

const causes = { backoff: "backoff", "retry-after": "requested by the service", poll: "not ready yet" }

const line = (event: Events.Event) =>
  Events.Event.$match(event, {
    AttemptEnded: ({ attempt }) => {
      const { failure, number, operation, status, took, traceId } = attempt
      return tell("attempt", `${operation}: ${Attempt.format([attempt])}, took ${Attempt.formatDuration(took)}`, {
        operation,
        number,
        status,
        error: failure,
        traceId,
        took: Duration.toSeconds(took)
      })
    },
    Waiting: ({ cause, operation, wait }) =>
      tell("waiting", `${operation}: waiting ${Attempt.formatDuration(wait)} (${causes[cause]})`, {
        operation,
        cause,
        seconds: Duration.toSeconds(wait)
      }),
    BreakerChanged: ({ from, to }) => tell("breaker", `the circuit breaker went from ${from} to ${to}`, { from, to })
  })

const isLongWait = (event: Events.Event): boolean =>
  // Polls are part of the progress of a document.
  Events.Event.$is("Waiting")(event) && event.cause !== "poll" && Duration.isGreaterThanOrEqualTo(event.wait, longWait)

/** Runs a call and reports its events, all of them before the call ends. */
export const reportingEvents = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  if (yield* Settings.Quiet) return yield* effect
  const verbose = yield* Settings.Verbose
  return yield* Events.during((event) => verbose || isLongWait(event) ? line(event) : Effect.void)(effect)
})
