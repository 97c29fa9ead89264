/** The methods of `FakeLanguageService`, over the control endpoints of a local or remote fake. */
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
 * Selects the `count`-th (default: first) request that matches `where`.
 *
 * @category options
 * @since 0.1.0
 */
export interface AwaitOptions<Name extends OperationName> {
  readonly count?: number | undefined
  readonly where?: Predicate<RecordedRequest.Of<Name>> | undefined
}

interface Controlled<E> {
  readonly url: string
  readonly control: Control<E>
  /** Subscribes to the request record. The returned effect waits for the record's next change. */
  readonly changes: Effect.Effect<Effect.Effect<unknown>, never, Scope.Scope>
  readonly defectOf: (error: E) => unknown
}

export const make = <E>({ changes, control, defectOf, url }: Controlled<E>) => {
  const orDie = <A>(effect: Effect.Effect<A, BadRequestProblem | E>): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.die(
        error instanceof BadRequestProblem ? new Checks.InvalidOptions({ reason: error.message }) : defectOf(error)
      ))
  const run = <A>(call: () => Effect.Effect<A, BadRequestProblem | E>): Effect.Effect<A> => orDie(Effect.suspend(call))
  const checked = <A>(finding: string | undefined, call: () => Effect.Effect<A, BadRequestProblem | E>) =>
    Effect.andThen(Checks.check([finding]), run(call))
  // A remote fake of another version may refuse faults that the local checks accept.
  const orInvalid = (effect: Effect.Effect<void, InvalidFault | E>): Effect.Effect<void, InvalidFault> =>
    Effect.catch(effect, (error) => error instanceof InvalidFault ? Effect.fail(error) : Effect.die(defectOf(error)))
  // Adds `payload: undefined`, which a remote fake omits.
  const requests = (operation?: OperationName) =>
    Effect.map(
      orDie(control.requests({ query: operation === undefined ? {} : { operation } })),
      (requests) => requests.map((request) => ({ ...request, payload: request.payload }))
    )
  const documents = run<ReadonlyArray<Model.DocumentState>>(control.documents)
  return {
    /** The fake's base URL. In process, requests to any host reach the fake. */
    url,
    /** Adds a document as if just uploaded: still in translation. */
    addDocument: (document: Model.NewDocument): Effect.Effect<Model.IssuedDocument> =>
      checked(Checks.document(document), () => {
        const { content, ...fields } = document
        return control.addDocument({
          payload: typeof content === "string" ? { ...fields, text: content } : { ...fields, base64: content }
        })
      }),
    /** All documents with their current state. */
    documents,
    /** Translated documents that were never downloaded. */
    undownloadedDocuments: Effect.map(documents, (documents) => documents.filter(isUndownloaded)),
    /** Adds a style rule list without checking its rules. Not counted as an effect. */
    addStyleRuleList: (list: Model.NewStyleRuleList): Effect.Effect<Model.StyleRuleList> =>
      checked(Checks.styleRuleList(list), () => control.addStyleRuleList({ payload: list })),
    addGlossary: (glossary: Model.NewGlossary): Effect.Effect<GlossaryId> =>
      Effect.map(
        checked(Checks.glossary(glossary), () => control.addGlossary({ payload: glossary })),
        ({ glossaryId }) => glossaryId
      ),
    /** Adds a translation memory without an import job; returns its id. */
    addTranslationMemory: (memory: Model.NewTranslationMemory): Effect.Effect<TranslationMemoryId> =>
      Effect.map(
        checked(Checks.translationMemory(memory), () => control.addTranslationMemory({ payload: memory })),
        ({ translationMemoryId }) => translationMemoryId
      ),
    /** An account's character quota. Default: the first key's account. */
    quota: (account?: string): Effect.Effect<Model.Quota> =>
      orDie(control.quota({ query: account === undefined ? {} : { account } })),
    /** Changes an account's quota. Omitted fields are unchanged. */
    setQuota: (quota: Model.QuotaChange): Effect.Effect<void> =>
      Effect.asVoid(checked(Checks.quota(quota), () => control.setQuota({ payload: quota }))),
    /** Appends scripts. Their faults take precedence over random faults (`weather`). */
    script: (scripts: Script | ReadonlyArray<Script>): Effect.Effect<void, InvalidFault> =>
      Effect.flatMap(Faults.scriptsOf(scripts), (payload) => orInvalid(control.addScripts({ payload }))),
    /** Replaces taught results, but not the option `taught.translate`. */
    teach: (taught: Model.Taught): Effect.Effect<void> =>
      checked(Checks.taught(taught), () => control.teach({ payload: taught })),
    /** Unfinished scripts with remaining counts. A script without a limit is finished after one fault. */
    unplayed: run<ReadonlyArray<Script>>(control.unplayed),
    /** Replaces the weather: rates of random faults. */
    weather: (weather: Weathers): Effect.Effect<void, InvalidFault> =>
      Effect.flatMap(Faults.checkWeather(weather), (payload) => orInvalid(control.setWeather({ payload }))),
    /** The recorded requests, in order of arrival. */
    requests: run<ReadonlyArray<Model.RecordedRequest>>(requests),
    /** The decoded requests of one operation. */
    requestsOf: <Name extends OperationName>(
      operation: Name
    ): Effect.Effect<ReadonlyArray<RecordedRequest.Of<Name>>> =>
      Effect.andThen(
        Checks.check([Checks.operation(operation)]),
        Effect.map(requests(operation), (requests) => RecordedRequest.select(requests, operation))
      ),
    /**
     * Waits for a request of an operation, recorded before or later, without a timeout. Checks the record after each
     * request and response, so that `where` can match responses too.
     */
    awaitRequest: Effect.fnUntraced(
      function*<Name extends OperationName>(
        operation: Name,
        options: AwaitOptions<Name> = {}
      ): Effect.fn.Return<RecordedRequest.Of<Name>, never, Scope.Scope> {
        const { count = 1, where } = options
        yield* Checks.check([Checks.operation(operation), Checks.count(count)])
        // Subscribes before the first check, to miss no change.
        const change = yield* changes
        while (true) {
          const recorded = yield* requests(operation)
          // Decodes only the needed request, because decoding is expensive.
          const found = where === undefined
            ? RecordedRequest.select(recorded.slice(count - 1, count), operation)[0]
            : RecordedRequest.select(recorded, operation).filter(where)[count - 1]
          if (found !== undefined) return found
          yield* change
        }
      },
      Effect.scoped
    ),
    /** How often each operation took effect; 0 for reading operations. */
    effects: run<Readonly<Record<OperationName, Model.OperationEffects>>>(control.effects),
    /** All accounts' current resources and quotas. */
    state: run<Model.ServiceState>(control.state),
    /** Secrets that must not leak: API keys and document keys. */
    secrets: Effect.map(
      run(control.secrets),
      (secrets): ReadonlyArray<Redacted.Redacted> => secrets.map(({ label, value }) => Redacted.make(value, { label }))
    ),
    /**
     * Moves the fake's time ahead of the Effect clock, and returns the new time. To shorten delays in progress, adjust
     * a virtual clock instead.
     */
    advance: (duration: Duration.Input): Effect.Effect<DateTime.Utc> =>
      Effect.map(
        checked(Checks.advance(duration), () => control.advance({ payload: { duration } })),
        ({ time }) => time
      ),
    /**
     * Restores the initial state, including ids and time. Requests in progress lose their connection and take no
     * effect.
     */
    reset: run<void>(control.reset)
  }
}

export const local = (fake: Fake) =>
  make({
    url: `${fake.origin}${fake.settings.basePath}`,
    control: ofFake(fake),
    changes: Effect.map(PubSub.subscribe(fake.changes), PubSub.take),
    defectOf: (error: never) => error
  })
