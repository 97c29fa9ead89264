/** Derives the methods for one text, a list of texts, and any number of texts from an operation on several texts. */
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { CallRecord } from "../../call/internal/callRecord.ts"
import { runs } from "../../call/internal/operation.ts"
import type {
  ConnectionLost,
  DeadlineExceeded,
  InvalidInput,
  LimitExceeded,
  UnexpectedResponse
} from "../../errors/CallError.ts"
import {
  bodySize,
  checkBody,
  checkLimit,
  checkText,
  checkTexts,
  invalid,
  typeOf,
  unknownName
} from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { type ContractFailure, mismatch } from "../../errors/internal/unexpected.ts"
import type * as Bulk from "../Bulk.ts"
import * as Bulking from "./bulk.ts"
import type { Method, Refusal } from "./bulk.ts"
import type * as Splitting from "./splitting.ts"

/** The size of the bodies of a schema, and the check of their limit. */
export const sizeOf = <S extends Schema.Constraint>(schema: S) => ({ of: bodySize(schema), check: checkBody(schema) })

/** The requests of one set of options. */
interface Requests<Body, A, E> {
  readonly body: (text: ReadonlyArray<string>) => Body
  readonly send: (record: CallRecord, body: Body) => Effect.Effect<ReadonlyArray<A>, E | ContractFailure>
  /** The language whose rules apply to splitting. */
  readonly language?: string | undefined
}

interface Operation<O, Body, A, E> {
  readonly operation: string
  readonly texts: number
  readonly bytes: number
  readonly concurrency: number
  readonly size: {
    readonly of: (body: Body) => Effect.Effect<number, Schema.SchemaError>
    readonly check: (body: Body, allowed: number) => Effect.Effect<void, LimitExceeded | Schema.SchemaError>
  }
  /** The names of the options besides those of a list or of a run. */
  readonly options: ReadonlyArray<string>
  /** Checks options, which may include keys of a list or of a run. */
  readonly prepare: (options: O) => Effect.Effect<Requests<Body, A, E>, Refusal>
  /** The splitting selected by options. An argument, so that a bundle without such an operation does not contain it. */
  readonly splitting?: ReturnType<typeof Splitting.make<A>>
}

type Called<E> = E | UnexpectedResponse | ConnectionLost | InvalidInput | DeadlineExceeded

/**
 * A method for one text or a list, as the first argument or with the options. The signature with the options is the first, as an editor
 * completes an unfinished call by that one.
 */
interface TextMethod<O, A, E> {
  <Text extends string | ReadonlyArray<string>>(
    options: O & { readonly text: Text }
  ): Effect.Effect<Bulk.Each<Text, A>, E>
  <Text extends string | ReadonlyArray<string>>(
    text: Text,
    options?: O
  ): Effect.Effect<Bulk.Each<Text, A>, E>
}

const noTexts: ReadonlyArray<string> = []

/** Makes the methods of an operation. */
export const make = <O extends Bulk.Options & Bulk.SplitOptions, Body extends object, A, E extends Failure>(
  {
    bytes,
    concurrency,
    operation,
    options,
    prepare: prepareObject,
    size,
    splitting,
    texts
  }: Operation<O, Body, A, E>
) =>
  Effect.map(runs, ({ call }) => {
    const known = [...options, "text", "concurrency", "onError", "split"]
    const prepare = (options: O): Effect.Effect<Requests<Body, A, E>, Refusal> =>
      isObject(options)
        ? unknownName(options, known) ?? prepareObject(options)
        : invalid("options", typeOf(options), "an object")

    const send = (record: CallRecord, { body, send }: Requests<Body, A, E>, text: ReadonlyArray<string>) =>
      Effect.flatMap(send(record, body(text)), (results) =>
        results.length === text.length
          ? Effect.succeed(results)
          : mismatch(`the response has ${results.length} results for ${text.length} texts`))

    const method: Method<O, A, Called<E>> = {
      operation,
      texts,
      bytes,
      prepare: (given) =>
        Effect.flatMapEager(prepare(given), (requests) =>
          Effect.mapEager(size.of(requests.body(noTexts)), (envelope) => ({
            envelope,
            send: (texts) =>
              call(operation, (record) => send(record, requests, texts)),
            splitting: splitting?.(given.split, requests.language)
          })))
    }

    /** Runs the local checks, and returns the request of a list. */
    const prepareList = (text: ReadonlyArray<string>, options: O) =>
      Effect.flatMap(
        Effect.suspend(() =>
          prepare(options)
        ),
        (requests) =>
          Effect.flatMapEager(checkTexts(text), () =>
            text.length === 0
              ? Effect.succeed(() => Effect.succeed<ReadonlyArray<A>>([]))
              : checkLimit("text", "texts", text.length, texts).pipe(
                Effect.flatMapEager(() => size.check(requests.body(text), bytes)),
                Effect.mapEager(() => (record: CallRecord) => send(record, requests, text))
              ))
      )

    const each = (input: unknown, given: unknown = {}) => {
      const isOptions = typeof input === "object" && input !== null && !Array.isArray(input)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `TextMethod` has the types
      const [text, options] = (isOptions ? [Reflect.get(input, "text"), input] : [input, given]) as [string, O]
      const list = (text: ReadonlyArray<string>, record: CallRecord) =>
        Effect.flatMap(prepareList(text, options), (send) => send(record))
      return typeof text === "object" && text !== null
        ? call(operation, (record) => list(text, record))
        : call(
          operation,
          (record) =>
            Effect.flatMap(checkText("text", text), () => Effect.map(list([text], record), ([result]) => result))
        )
    }

    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion -- overloads have no type of an implementation
      each: each as TextMethod<O, A, Called<E> | LimitExceeded>,
      all: Bulking.all(method, concurrency),
      prepareList
    }
  })
