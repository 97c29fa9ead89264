/** Derives the methods for one text, a list, and any number of texts from an operation on several texts. */
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { CallRecord } from "../../call/internal/callRecord.ts"
import { runs } from "../../call/internal/operation.ts"
import type * as CallError from "../../errors/CallError.ts"
import * as Checks from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { type ContractFailure, mismatch } from "../../errors/internal/unexpected.ts"
import type * as Bulk from "../Bulk.ts"
import * as Bulking from "./bulk.ts"

export const sizeOf = <S extends Schema.Constraint>(schema: S) => ({
  of: Checks.bodySize(schema),
  check: Checks.checkBody(schema)
})

/** Builds and sends the requests for one set of options. */
interface Requests<Body, A, E> {
  readonly body: (text: ReadonlyArray<string>) => Body
  readonly send: (record: CallRecord, body: Body) => Effect.Effect<ReadonlyArray<A>, E | ContractFailure>
  /** The language for finding sentences and words. */
  readonly language?: string | undefined
}

interface Operation<O, Body, A, E> extends Omit<Bulking.Method<O, A, E>, "prepare"> {
  /** Measures and checks the size of bodies; absent without a size limit. */
  readonly size?: {
    readonly of: (body: Body) => Effect.Effect<number, Schema.SchemaError>
    readonly check: (body: Body, allowed: number) => Effect.Effect<void, CallError.LimitExceeded | Schema.SchemaError>
  }
  /** The accepted option names, without bulk options. */
  readonly options: ReadonlyArray<string>
  /** Checks options, which may include bulk options. */
  readonly prepare: (options: O) => Effect.Effect<Requests<Body, A, E>, Bulking.Refusal>
}

type Called<E> =
  | E
  | CallError.UnexpectedResponse
  | CallError.ConnectionLost
  | CallError.InvalidInput
  | CallError.DeadlineExceeded

export const make = <O extends Bulk.Options & Bulk.SplitOptions, Body extends object, A, E extends Failure>(
  { options: names, prepare: prepareObject, size, ...method }: Operation<O, Body, A, E>
) =>
  Effect.map(runs, ({ call }) => {
    const { bytes, operation, texts } = method
    const known = [...names, "text", "concurrency", "onError", "split"]
    const prepare = (options: O): Effect.Effect<Requests<Body, A, E>, Bulking.Refusal> =>
      isObject(options)
        ? Checks.unknownName(options, known) ?? prepareObject(options)
        : Checks.invalid("options", Checks.typeOf(options), "an object")

    const send = (record: CallRecord, requests: Requests<Body, A, E>, body: Body, sent: number) =>
      Effect.flatMapEager(requests.send(record, body), (results) =>
        results.length === sent
          ? Effect.succeed(results)
          : mismatch(`the response has ${results.length} results for ${sent} texts`))

    /** Runs the local checks, and returns a function that sends the list. */
    const prepareList = Effect.fnUntraced(function*(text: ReadonlyArray<string>, options: O, isChecked = false) {
      const requests = yield* prepare(options)
      if (!isChecked) yield* Checks.checkTexts(text)
      const body = requests.body(text)
      if (text.length > 0) {
        yield* Checks.checkLimit("text", "texts", text.length, texts)
        if (size !== undefined) yield* size.check(body, bytes)
      }
      return (record: CallRecord): Effect.Effect<ReadonlyArray<A>, Called<E> | ContractFailure> =>
        text.length === 0 ? Effect.succeed([]) : send(record, requests, body, text.length)
    })

    const each = (input: unknown, given: unknown = {}) => {
      const isOptions = typeof input === "object" && input !== null && !Array.isArray(input)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Method` types the arguments
      const [text, options] = (isOptions ? [Reflect.get(input, "text"), input] : [input, given]) as [string, O]
      const isOne = typeof text !== "object" || text === null
      return call(operation, (record) =>
        Effect.flatMapEager(
          isOne
            ? Effect.andThen(Checks.checkText("text", text), prepareList([text], options, true))
            : prepareList(text, options),
          (request) => Effect.mapEager(request(record), (results) => isOne ? results[0] : results)
        ))
    }

    const all = Bulking.all<O, A, Called<E>>({
      ...method,
      prepare: (options) =>
        Effect.gen(function*() {
          const requests = yield* prepare(options)
          return {
            envelope: size === undefined ? 0 : yield* size.of(requests.body([])),
            language: requests.language,
            send: (texts) => call(operation, (record) => send(record, requests, requests.body(texts), texts.length))
          }
        })
    })

    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion -- an arrow function cannot declare overloads
      each: each as Bulk.Method<O, A, Called<E> | CallError.LimitExceeded>,
      all,
      prepareList
    }
  })
