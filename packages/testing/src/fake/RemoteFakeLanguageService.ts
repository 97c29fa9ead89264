/**
 * The handle of a fake in another process: the same service `FakeLanguageService`, over the control endpoint. Tests written
 * against the handle run against `npx @effect-lingua/testing`, a container, or a fake of another program.
 *
 * **Example** (A test that controls a fake on a socket from outside)
 *
 * ```ts import.meta.vitest
 * import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
 * import * as RemoteFakeLanguageService from "@effect-lingua/testing/fake/RemoteFakeLanguageService"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService
 *   yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "2 hours" })
 *   yield* fake.advance("2 hours")
 *   const [document] = yield* fake.documents()
 *   return document?.status
 * })
 *
 * // Usually the address is that of a fake in another process; here it is in this process.
 * const remote = Layer.unwrap(Effect.map(FakeLanguageService, ({ url }) => RemoteFakeLanguageService.layer({ url })))
 * const status = await program.pipe(
 *   Effect.provide(remote.pipe(Layer.provide(NodeFakeLanguageService.layer()), Layer.provide(FetchHttpClient.layer))),
 *   Effect.runPromise
 * )
 * status // => "done"
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { OperationName } from "../faults/Fault.ts"
import { ControlApi, path, type RecordedRequest as WireRequest } from "./ControlApi.ts"
import { FakeLanguageService, type RecordedRequest } from "./FakeLanguageService.ts"
import { isUndownloaded } from "./internal/documents/documents.ts"
import * as Faults from "./internal/faults.ts"
import * as Checks from "./internal/options.ts"
import * as RecordedRequests from "./RecordedRequest.ts"

/**
 * The address of the fake.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The address of the fake, such as `http://127.0.0.1:8080`. A path after host and port is ignored. */
  readonly url: string
}

/**
 * The control endpoint of a fake cannot be reached, or returned an unexpected response.
 *
 * @category errors
 * @since 0.1.0
 */
export class ControlUnavailable extends Data.TaggedError("ControlUnavailable")<{
  readonly url: string
  readonly cause: unknown
}> {
  override get message(): string {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The control of a fake at ${this.url}${path} cannot be used: ${reason}. Is a fake running there, with its control?`
  }
}

type Client = HttpApiClient.ForApi<typeof ControlApi>
type Failure = Effect.Error<ReturnType<Client["addDocument"]>>
type Refusal = Effect.Error<ReturnType<Client["addScripts"]>>

/** On the wire an absent payload has no key. */
const recorded = (request: typeof WireRequest.Type): RecordedRequest => ({ ...request, payload: request.payload })

/** Another process runs in real time, independently of the clock of the test. */
const pause = Effect.provideService(Effect.sleep("20 millis"), Clock.Clock, Clock.Clock.defaultValue())

const make = Effect.fnUntraced(function*({ url: given }: Options) {
  if (!URL.canParse(given)) return yield* new ControlUnavailable({ url: given, cause: "this is no URL" })
  const url = new URL(given).origin
  const unavailable = (cause: unknown) => new ControlUnavailable({ url, cause })
  const orDie = <A, E>(effect: Effect.Effect<A, E>) => Effect.orDie(Effect.mapError(effect, unavailable))
  // Misuse of the handle is the same defect as with a fake in the same process.
  const orMisused = <A>(finding: string | undefined, ask: () => Effect.Effect<A, Failure>) =>
    Effect.andThen(
      Checks.check([finding]),
      orDie(
        Effect.catchTag(Effect.suspend(ask), "BadRequestProblem", (problem) =>
          Effect.die(new Checks.InvalidOptions({ reason: problem.message })))
      )
    )
  // Invalid faults are refused locally; a fake of another version may refuse more.
  const orInvalid = (effect: Effect.Effect<void, Refusal>) =>
    Effect.catch(effect, (error) => error._tag === "InvalidFault" ? Effect.fail(error) : Effect.die(unavailable(error)))
  const control = yield* HttpApiClient.make(ControlApi, { baseUrl: url })
  const { basePath } = yield* Effect.mapError(control.info(), unavailable)
  const ofQuery = (query: Parameters<typeof control.requests>[0]["query"]) =>
    Effect.map(orDie(control.requests({ query })), (requests) => requests.map(recorded))
  const requestsOf = <Name extends OperationName>(operation: Name) =>
    Checks.check([Checks.operation(operation)]).pipe(
      Effect.andThen(ofQuery({ operation })),
      Effect.map((requests) => RecordedRequests.select(requests, operation))
    )
  return FakeLanguageService.of({
    url: `${url}${basePath}`,
    addDocument: (given) =>
      orMisused(Checks.document(given), () => {
        const { content, ...document } = given
        return control.addDocument({
          payload: typeof content === "string" ? { ...document, text: content } : { ...document, base64: content }
        })
      }),
    documents: () => orDie(control.documents()),
    undownloadedDocuments: () =>
      Effect.map(orDie(control.documents()), (documents) => documents.filter(isUndownloaded)),
    addStyleRuleList: (payload) =>
      orMisused(Checks.styleRuleList(payload), () => control.addStyleRuleList({ payload })),
    addGlossary: (payload) =>
      Effect.map(
        orMisused(Checks.glossary(payload), () => control.addGlossary({ payload })),
        ({ glossaryId }) => glossaryId
      ),
    addTranslationMemory: (payload) =>
      Effect.map(
        orMisused(Checks.translationMemory(payload), () => control.addTranslationMemory({ payload })),
        ({ translationMemoryId }) => translationMemoryId
      ),
    quota: () => orDie(control.quota()),
    setQuota: (payload) => Effect.asVoid(orMisused(Checks.quota(payload), () => control.setQuota({ payload }))),
    script: (given) => Effect.flatMap(Faults.scriptsOf(given), (payload) => orInvalid(control.addScripts({ payload }))),
    unplayed: () => orDie(control.unplayed()),
    weather: (given) =>
      Effect.flatMap(Faults.checkWeather(given), (payload) => orInvalid(control.setWeather({ payload }))),
    requests: () => ofQuery({}),
    requestsOf,
    awaitRequest: Effect.fnUntraced(function*(operation, { count = 1, where = constTrue } = {}) {
      yield* Checks.check([Checks.operation(operation), Checks.count(count)])
      while (true) {
        const found = (yield* requestsOf(operation)).filter(where)[count - 1]
        if (found !== undefined) return found
        yield* pause
      }
    }),
    effects: () => orDie(control.effects()),
    state: () => orDie(control.state()),
    secrets: () =>
      Effect.map(
        orDie(control.secrets()),
        (secrets) => secrets.map(({ label, value }) => Redacted.make(value, { label }))
      ),
    advance: (duration) =>
      Effect.andThen(
        Checks.check([Checks.advance(duration)]),
        Effect.map(orDie(Effect.suspend(() => control.advance({ payload: { duration } }))), ({ time }) => time)
      ),
    reset: () => orDie(control.reset())
  })
})

/**
 * The handle of a fake in another process, by its address. The layer fails with `ControlUnavailable` if no control endpoint of
 * a fake responds there.
 *
 * **Gotchas**
 *
 * The methods of the handle have no error of transport: if the fake becomes unreachable during a test, they die with
 * `ControlUnavailable`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options
): Layer.Layer<FakeLanguageService, ControlUnavailable, HttpClient.HttpClient> =>
  Layer.effect(FakeLanguageService, make(options))
