/** The methods of the handle, over the control of a fake in this process or in another. */
import type { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { BadRequestProblem } from "effect/http-api/HttpApiError"
import type { Predicate } from "effect/Predicate"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { InvalidFault, type OperationName } from "../../faults/Fault.ts"
import type { Script } from "../../faults/Script.ts"
import type { Weathers } from "../../faults/Weather.ts"
import * as RecordedRequest from "../RecordedRequest.ts"
import { type Control, ofFake } from "./control.ts"
import { isUndownloaded } from "./documents/documents.ts"
import type * as Model from "./model.ts"
import * as Checks from "./options.ts"
import * as Faults from "./requests/faults.ts"
import type { Fake } from "./state.ts"

/**
 * Selects the awaited request of an operation: the `count`-th (the first by default) of those that match `where`.
 *
 * @category options
 * @since 0.1.0
 */
export interface AwaitOptions<Name extends OperationName> {
  readonly count?: number | undefined
  readonly where?: Predicate<RecordedRequest.Of<Name>> | undefined
}

/** The fake to control. `E` is the error of the transport. */
interface Controlled<E> {
  readonly url: string
  readonly control: Control<E>
  /** Subscribes to the record of requests: the result waits for its next change. */
  readonly changes: Effect.Effect<Effect.Effect<unknown>, never, Scope.Scope>
  /** The defect for an error of the transport. */
  readonly defectOf: (error: E) => unknown
}

export const make = <E>({ changes, control, defectOf, url }: Controlled<E>) => {
  const orDie = <A>(effect: Effect.Effect<A, BadRequestProblem | E>): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.die(
        error instanceof BadRequestProblem ? new Checks.InvalidOptions({ reason: error.message }) : defectOf(error)
      ))
  const checked = <A>(finding: string | undefined, ask: () => Effect.Effect<A, BadRequestProblem | E>) =>
    Effect.andThen(Checks.check([finding]), orDie(Effect.suspend(ask)))
  // An invalid fault is refused here already; a fake of another version may refuse more.
  const orInvalid = (effect: Effect.Effect<void, InvalidFault | E>): Effect.Effect<void, InvalidFault> =>
    Effect.catch(effect, (error) => error instanceof InvalidFault ? Effect.fail(error) : Effect.die(defectOf(error)))
  // On the wire an absent payload has no key.
  const requests = (operation?: OperationName) =>
    Effect.map(
      orDie(control.requests({ query: operation === undefined ? {} : { operation } })),
      (requests) => requests.map((request) => ({ ...request, payload: request.payload }))
    )
  return {
    /** The base URL of the fake. In process, requests to any other host reach it too. */
    url,
    /** Puts a document into translation, as if it had just been uploaded. */
    addDocument: (document: Model.NewDocument): Effect.Effect<Model.IssuedDocument> =>
      checked(Checks.document(document), () => {
        const { content, ...fields } = document
        return control.addDocument({
          payload: typeof content === "string" ? { ...fields, text: content } : { ...fields, base64: content }
        })
      }),
    /** All documents with their current state. */
    documents: (): Effect.Effect<ReadonlyArray<Model.DocumentState>> => orDie(control.documents()),
    /** The translated documents that were never downloaded. */
    undownloadedDocuments: (): Effect.Effect<ReadonlyArray<Model.DocumentState>> =>
      Effect.map(orDie(control.documents()), (documents) => documents.filter(isUndownloaded)),
    /** Adds a style rule list, as if it had existed before. It is not checked, and does not count as an effect. */
    addStyleRuleList: (list: Model.NewStyleRuleList): Effect.Effect<Model.StyleRuleList> =>
      checked(Checks.styleRuleList(list), () => control.addStyleRuleList({ payload: list })),
    /** Adds a glossary for a pair of languages and returns its id. */
    addGlossary: (glossary: Model.NewGlossary): Effect.Effect<GlossaryId> =>
      Effect.map(
        checked(Checks.glossary(glossary), () => control.addGlossary({ payload: glossary })),
        ({ glossaryId }) => glossaryId
      ),
    /** Adds a translation memory and returns its id. */
    addTranslationMemory: (memory: Model.NewTranslationMemory): Effect.Effect<TranslationMemoryId> =>
      Effect.map(
        checked(Checks.translationMemory(memory), () => control.addTranslationMemory({ payload: memory })),
        ({ translationMemoryId }) => translationMemoryId
      ),
    /** The current quota of characters of an account, by default that of the first key. */
    quota: (account?: string): Effect.Effect<Model.Quota> =>
      orDie(control.quota({ query: account === undefined ? {} : { account } })),
    /** Changes the quota of an account; fields that are left out stay. */
    setQuota: (quota: Model.QuotaChange): Effect.Effect<void> =>
      Effect.asVoid(checked(Checks.quota(quota), () => control.setQuota({ payload: quota }))),
    /**
     * Adds scripts: the next calls of an operation, or of any, meet their faults. Scripts are played in order, after those that
     * are left, and before the weather.
     */
    script: (scripts: Script | ReadonlyArray<Script>): Effect.Effect<void, InvalidFault> =>
      Effect.flatMap(Faults.scriptsOf(scripts), (payload) => orInvalid(control.addScripts({ payload }))),
    /**
     * Replaces the taught answers: what the fake answers to texts in translation, improvement, detection and documents. A function
     * that was taught by an option stays.
     */
    teach: (taught: Model.Taught): Effect.Effect<void> =>
      checked(Checks.taught(taught), () => control.teach({ payload: taught })),
    /** The remaining scripts, with their remaining counts. An endless script remains until it was played once. */
    unplayed: (): Effect.Effect<ReadonlyArray<Script>> => orDie(control.unplayed()),
    /** Changes the weather: to one, or several at once. */
    weather: (weather: Weathers): Effect.Effect<void, InvalidFault> =>
      Effect.flatMap(Faults.checkWeather(weather), (payload) => orInvalid(control.setWeather({ payload }))),
    /** The last requests, in order of arrival. */
    requests: (): Effect.Effect<ReadonlyArray<Model.RecordedRequest>> => requests(),
    /** The requests of one operation, decoded by the contract. */
    requestsOf: <Name extends OperationName>(
      operation: Name
    ): Effect.Effect<ReadonlyArray<RecordedRequest.Of<Name>>> =>
      Effect.andThen(
        Checks.check([Checks.operation(operation)]),
        Effect.map(requests(operation), (requests) => RecordedRequest.select(requests, operation))
      ),
    /**
     * Waits for a request of an operation, which may be in the record already, and returns it. The record is checked after
     * each request and after each response, so that `where` can match the response too. There is no timeout besides that of the
     * test.
     */
    awaitRequest: Effect.fnUntraced(
      function*<Name extends OperationName>(
        operation: Name,
        options: AwaitOptions<Name> = {}
      ): Effect.fn.Return<RecordedRequest.Of<Name>, never, Scope.Scope> {
        const { count = 1, where } = options
        yield* Checks.check([Checks.operation(operation), Checks.count(count)])
        // Subscribed before the first check, so that no change is missed between two checks.
        const change = yield* changes
        while (true) {
          const own = yield* requests(operation)
          // Decoding costs more than the rest, so only what is needed is decoded.
          const found = where === undefined
            ? RecordedRequest.select(own.slice(count - 1, count), operation)[0]
            : RecordedRequest.select(own, operation).filter(where)[count - 1]
          if (found !== undefined) return found
          yield* change
        }
      },
      Effect.scoped
    ),
    /** The number of times that each operation really took effect; reads, and operations that were not called, have a count of 0. */
    effects: (): Effect.Effect<Readonly<Record<OperationName, Model.OperationEffects>>> => orDie(control.effects()),
    /** The current state of the service. */
    state: (): Effect.Effect<Model.ServiceState> => orDie(control.state()),
    /** Secrets that must not leak: the accepted keys, and those of documents. */
    secrets: (): Effect.Effect<ReadonlyArray<Redacted.Redacted>> =>
      Effect.map(
        orDie(control.secrets()),
        (secrets) => secrets.map(({ label, value }) => Redacted.make(value, { label }))
      ),
    /**
     * Advances the time of the fake ahead of the Effect clock, and returns its new time: documents become ready, a quota renews.
     * Delays in progress are not shortened. It is for a fake on a real clock; adjust a virtual one such as `TestClock` instead.
     */
    advance: (duration: Duration.Input): Effect.Effect<DateTime.Utc> =>
      Effect.map(
        checked(Checks.advance(duration), () => control.advance({ payload: { duration } })),
        ({ time }) => time
      ),
    /**
     * Restores the initial state of the fake, including ids and time. Requests in progress lose their connection and take no
     * effect; a retry of the client is a new request.
     */
    reset: (): Effect.Effect<void> => orDie(control.reset())
  }
}

/** The handle of a fake in this process. */
export const local = (fake: Fake) =>
  make({
    url: `${fake.origin}${fake.settings.basePath}`,
    control: ofFake(fake),
    changes: Effect.map(PubSub.subscribe(fake.changes), PubSub.take),
    defectOf: (error: never) => error
  })
