/** A row of the table of hostile responses, its expected outcome, and how it is checked. */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Duration, Effect, Exit, Layer, Option, Redacted } from "effect"
import { sampled } from "../../../../test/support/scale.ts"
import { clockWith } from "../../../core/test/support/time.ts"
import { type Answer, rawServer, type ServerOptions } from "../support/rawServer.ts"
import type { Call } from "./calls.ts"

/** The end of a call and the number of its requests. */
export interface Expected {
  readonly requests: number
  /** The number of connections, if it matters. */
  readonly connections?: number
  readonly value?: string
  /** Fields of the error. Without a `status` it must have none. */
  readonly error?: { readonly _tag: string; readonly outcome: string } & Readonly<Record<string, unknown>>
}

/** Changes of a row to the server and the client. */
export interface Setting extends Pick<ServerOptions, "early" | "listen"> {
  /** Responses to other requests, such as for the state of a document. By default the document is ready. */
  readonly elsewhere?: ReadonlyArray<Answer>
  readonly policy?: Partial<ResiliencePolicy.ResiliencePolicy>
  /** Speed of the client's clock. Default 1. */
  readonly clock?: number
  readonly scheme?: "http" | "https"
  readonly pool?: NodeLanguageService.PoolOptions
}

export type Row = readonly [
  name: string,
  call: Call,
  answers: Answer | ReadonlyArray<Answer>,
  expected: Expected,
  setting?: Setting | undefined
]

const { millis, seconds } = Duration

const key = "key-of-the-wire-tests"

/** Three attempts, short waits, and timeouts that only a silent server exceeds. */
const policy: ResiliencePolicy.ResiliencePolicy = {
  ...ResiliencePolicy.defaults,
  attempts: 3,
  backoffBase: millis(1),
  throttleBase: millis(1),
  backoffCap: millis(2),
  pollBase: millis(1),
  pollCap: millis(2),
  attemptTimeout: seconds(30),
  documentTimeout: seconds(30),
  bodyIdleTimeout: seconds(30),
  deadline: seconds(90),
  jobDeadline: seconds(90)
}

/** Short timeouts, for servers that stay silent. */
export const impatient: Setting = {
  policy: { attemptTimeout: millis(300), documentTimeout: millis(300), bodyIdleTimeout: millis(300) }
}

/** A short timeout for bodies, for those that stop. */
export const impatientForBodies: Setting = { policy: { bodyIdleTimeout: seconds(1) } }

/** A short deadline, for responses that never end. */
export const hurried: Setting = {
  policy: { attemptTimeout: seconds(1), documentTimeout: seconds(1), deadline: seconds(1), jobDeadline: seconds(1) }
}

/** Milliseconds beyond the deadline that a busy machine may take. */
const slack = 10_000

/** The call succeeds after a number of requests. */
export const succeeds = (requests = 1, value?: string): Expected => ({
  requests,
  ...(value === undefined ? undefined : { value })
})

/** The call fails after a number of requests. */
export const fails = (
  _tag: string,
  outcome: "refused" | "unknown" | "pending",
  requests: number,
  more: Readonly<Record<string, unknown>> = {}
): Expected => ({ requests, error: { _tag, outcome, ...more } })

/** The service refused the request. */
export const refused = (_tag: string, status: number, requests = 1): Expected =>
  fails(_tag, "refused", requests, { status })

/** The service failed, possibly after the effect. */
export const failed = (_tag: string, status: number, requests: number): Expected =>
  fails(_tag, "unknown", requests, { status })

/** A response outside of the contract. */
export const unexpected = (status: number, outcome: "refused" | "unknown", requests = 1): Expected =>
  fails("UnexpectedResponse", outcome, requests, { status })

/** A 200 that cannot be decoded counts as a lost response. */
export const garbled = (requests: number): Expected => unexpected(200, "unknown", requests)

/** No response, or a truncated one. */
export const lost = (requests: number): Expected => fails("ConnectionLost", "unknown", requests)

/** No response within the timeout. */
export const silent = (requests: number): Expected => fails("AttemptTimeout", "unknown", requests)

/** No attempt established a connection, so nothing was sent. */
export const unreached = (connections: number, isTransient = connections > 1): Expected => ({
  ...fails("ConnectionFailed", "refused", 0, { isTransient }),
  connections
})

/** A call that creates, whose response was lost by the error `cause`. */
export const uncertain = (cause: string, requests = 1): Expected =>
  fails("OutcomeUnknown", "unknown", requests, { cause })

/** A document truncated after `bytesReceived`. */
export const interrupted = (bytesReceived: number, more: Readonly<Record<string, unknown>> = {}): Expected =>
  fails("DownloadInterrupted", "unknown", 1, { bytesReceived, ...more })

/** Runs an effect with a faster clock, so that a minute of a policy passes in a second over real sockets. */
const faster = (times: number) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) => {
    const start = clock.currentTimeMillisUnsafe()
    const millis = () => start + (clock.currentTimeMillisUnsafe() - start) * times
    const monotonic = () => clock.monotonicTimeNanosUnsafe() * BigInt(times)
    return Effect.provideService(
      self,
      Clock.Clock,
      clockWith(clock, {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        monotonicTimeNanosUnsafe: monotonic,
        monotonicTimeNanos: Effect.sync(monotonic),
        sleep: (duration) => clock.sleep(Duration.millis(Duration.toMillis(duration) / times))
      })
    )
  })

const pick = (error: object, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(error, name)]))

/** Waits until the condition holds. */
const soon = (holds: () => boolean) =>
  Effect.sleep("5 millis").pipe(Effect.repeat({ until: holds }), Effect.timeoutOption("15 seconds"))

/** Runs the call of a row against its answers within its time, and compares the end. */
const check = Effect.fnUntraced(function*([, call, answers, expected, setting = {}]: Row) {
  const given: ResiliencePolicy.ResiliencePolicy = { ...policy, ...setting.policy }
  const { clock = 1, early, elsewhere, listen } = setting
  let first: string | undefined
  const isAsked = (line: string) => call.asked?.test(line) ?? line === (first ??= line)
  const all = typeof answers === "function" ? [answers] : answers
  const server = yield* rawServer(all, elsewhere, { isAsked, early, listen })
  const deadline = call.operation === "Documents.download" ? given.jobDeadline : given.deadline
  const bound = Duration.toMillis(deadline) / clock + slack
  const began = yield* Clock.currentTimeMillis
  const ended = yield* Effect.exit(call.run).pipe(
    Effect.provide(Layer.provideMerge(
      OtherServices.layer,
      NodeLanguageService.layer({
        key: Redacted.make(key),
        baseUrl: `${setting.scheme ?? "http"}://127.0.0.1:${server.port}`,
        journal: "memory",
        ...(setting.pool === undefined ? undefined : { pool: setting.pool }),
        resilience: given
      })
    )),
    faster(clock),
    Effect.timeoutOption(bound)
  )
  if (Option.isNone(ended) || (yield* Clock.currentTimeMillis) - began > bound) {
    return assert.fail(`the call did not end within ${bound} ms`)
  }
  const exit = ended.value
  yield* soon(() => server.requests.length >= expected.requests && server.open() === 0)
  assert.strictEqual(server.open(), 0, "open connections")
  if (call.asked === undefined) assert.strictEqual(server.questions.length, 0, "requests for other addresses")
  const seen = { requests: server.requests.length, connections: expected.connections && server.opened() }
  const counts = { requests: expected.requests, connections: expected.connections }
  if (Exit.isSuccess(exit)) {
    return assert.deepStrictEqual<unknown>({ ...seen, value: exit.value }, {
      ...counts,
      value: expected.error === undefined ? expected.value ?? call.value : expected.error
    })
  }
  const error = Cause.squash(exit.cause)
  assert(error instanceof Error && !Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
  assert.deepStrictEqual<unknown>(
    { ...seen, error: pick(error, ["status", ...Object.keys(expected.error ?? { _tag: "" })]) },
    { ...counts, error: expected.error === undefined ? call.value : { status: undefined, ...expected.error } },
    error.message
  )
  if (call.asked === undefined) {
    assert.deepNestedInclude(
      error,
      { "attempts.length": expected.connections ?? expected.requests },
      "the ledger has every attempt"
    )
  }
  assert.notInclude(error.message, key)
  assert.isBelow(error.message.length, 3000)
  assert.notMatch(error.message, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
})

/** The tests of a part of the table, of which the short suite has a sample. */
export const hostile = (part: string, rows: ReadonlyArray<Row>) =>
  describe.concurrent(`hostile responses: ${part}`, () => {
    it("are in the table once each", () => {
      const names = rows.map(([name, { operation }]) => `${operation}: ${name}`)
      assert.strictEqual(new Set(names).size, names.length)
    })
    for (const row of sampled(rows, 4)) it.live(`${row[1].operation}: ${row[0]}`, () => Effect.scoped(check(row)))
  })
