/** The methods of the handle, over the control of a fake in this process or in another. */
import * as Effect from "effect/Effect"
import { BadRequestProblem } from "effect/http-api/HttpApiError"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { InvalidFault, type OperationName } from "../../faults/Fault.ts"
import type { AwaitOptions, FakeLanguageService } from "../FakeLanguageService.ts"
import * as RecordedRequest from "../RecordedRequest.ts"
import { type Control, ofFake } from "./control.ts"
import { isUndownloaded } from "./documents/documents.ts"
import * as Checks from "./options.ts"
import * as Faults from "./requests/faults.ts"
import type { Fake } from "./state.ts"

/** The fake to control. `E` is the error of the transport. */
interface Controlled<E> {
  readonly url: string
  readonly control: Control<E>
  /** Subscribes to the record of requests: the result waits for its next change. */
  readonly changes: Effect.Effect<Effect.Effect<unknown>, never, Scope.Scope>
  /** The defect for an error of the transport. */
  readonly defectOf: (error: E) => unknown
}

export const make = <E>({ changes, control, defectOf, url }: Controlled<E>): FakeLanguageService["Service"] => {
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
    url,
    addDocument: (given) =>
      checked(Checks.document(given), () => {
        const { content, ...document } = given
        return control.addDocument({
          payload: typeof content === "string" ? { ...document, text: content } : { ...document, base64: content }
        })
      }),
    documents: () => orDie(control.documents()),
    undownloadedDocuments: () =>
      Effect.map(orDie(control.documents()), (documents) => documents.filter(isUndownloaded)),
    addStyleRuleList: (payload) => checked(Checks.styleRuleList(payload), () => control.addStyleRuleList({ payload })),
    addGlossary: (payload) =>
      Effect.map(
        checked(Checks.glossary(payload), () => control.addGlossary({ payload })),
        ({ glossaryId }) => glossaryId
      ),
    addTranslationMemory: (payload) =>
      Effect.map(
        checked(Checks.translationMemory(payload), () => control.addTranslationMemory({ payload })),
        ({ translationMemoryId }) => translationMemoryId
      ),
    quota: (account) => orDie(control.quota({ query: account === undefined ? {} : { account } })),
    setQuota: (payload) => Effect.asVoid(checked(Checks.quota(payload), () => control.setQuota({ payload }))),
    script: (given) => Effect.flatMap(Faults.scriptsOf(given), (payload) => orInvalid(control.addScripts({ payload }))),
    teach: (payload) => checked(Checks.taught(payload), () => control.teach({ payload })),
    unplayed: () => orDie(control.unplayed()),
    weather: (given) =>
      Effect.flatMap(Faults.checkWeather(given), (payload) => orInvalid(control.setWeather({ payload }))),
    requests: () => requests(),
    requestsOf: (operation) =>
      Effect.andThen(
        Checks.check([Checks.operation(operation)]),
        Effect.map(requests(operation), (requests) => RecordedRequest.select(requests, operation))
      ),
    awaitRequest: Effect.fnUntraced(
      function*<Name extends OperationName>(operation: Name, { count = 1, where }: AwaitOptions<Name> = {}) {
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
    effects: () => orDie(control.effects()),
    state: () => orDie(control.state()),
    secrets: () =>
      Effect.map(
        orDie(control.secrets()),
        (secrets) => secrets.map(({ label, value }) => Redacted.make(value, { label }))
      ),
    advance: (duration) =>
      Effect.map(
        checked(Checks.advance(duration), () => control.advance({ payload: { duration } })),
        ({ time }) => time
      ),
    reset: () => orDie(control.reset())
  }
}

/** The handle of a fake in this process. */
export const local = (fake: Fake): FakeLanguageService["Service"] =>
  make({
    url: `${fake.origin}${fake.settings.basePath}`,
    control: ofFake(fake),
    changes: Effect.map(PubSub.subscribe(fake.changes), PubSub.take),
    defectOf: (error: never) => error
  })
