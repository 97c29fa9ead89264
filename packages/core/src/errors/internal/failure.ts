/** Shared fields and messages of this library's errors, and the constructor for error classes. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { AnyJobId, DocumentId } from "../../contract/Ids.ts"
import { RepeatKind } from "../../contract/internal/endpoint.ts"
import * as Attempt from "../Attempt.ts"
import { categories, type Category, isCategorized, type Outcome } from "./categories.ts"

/** The outcome of a response that the contract does not describe. */
export const outcomeOf = (status: number): "refused" | "unknown" =>
  status < 300 || status >= 500 ? "unknown" : "refused"

/**
 * The outcome of a call: the last attempt's outcome, or `unknown` if an earlier attempt may have taken effect. Attempts up to the last
 * `pending` attempt do not count: a document that is not ready was not consumed.
 */
export const outcomeOfCall = <Last extends Outcome>(
  attempts: ReadonlyArray<{ readonly outcome?: Outcome }>,
  last: Last
): Last | "unknown" =>
  attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === "pending") + 1)
      .some(({ outcome }) => outcome === "unknown")
    ? "unknown"
    : last

const textsSentence = ({ first, last }: NonNullable<Failure["texts"]>): string =>
  first === last ? `It is about text ${first}.` : `It is about texts ${first} to ${last}.`

const planSentence = ({ done, failed, left }: NonNullable<Failure["plan"]>): string =>
  `The failed call was to ${failed}. Calls of the plan: ${done.length} made, ${left.length} left.`

const uncertaintySentence = (attempts: Failure["attempts"]): string =>
  attempts.at(-1)?.outcome !== "unknown" && outcomeOfCall(attempts, "refused") === "unknown"
    ? "The outcome of an earlier attempt is not known."
    : ""

const attemptsSentence = (attempts: Failure["attempts"]): string => {
  if (attempts.length > 1) return `Tried ${attempts.length} times: ${Attempt.format(attempts)}.`
  const stop = attempts[0]?.stopCause
  return stop === undefined ? "" : `Not tried again (${stop}).`
}

const sentence = (text: string): string => text === "" || /[.!?]$/.test(text) ? text : `${text}.`

const waitHint = (status: number | undefined): string => status === undefined ? "Retry in" : "The service asks to wait"

const message = (
  error: Omit<Failure, "_tag" | "category" | "outcome" | "isTransient">,
  problem: string,
  advice: string
): string => {
  const { attempts, description, detail, document, job, operation, plan, retryAfter, status, targetLanguage, texts } =
    error
  const characters = error.possiblyCountedCharacters
  return [
    `${operation === "" ? "" : `${operation}: `}${problem}${status === undefined ? "" : ` (status ${status})`}.`,
    sentence(description),
    detail && sentence(detail),
    texts && textsSentence(texts),
    targetLanguage && `The target was ${targetLanguage}.`,
    plan && planSentence(plan),
    document && !problem.includes(document.documentId) && `The document is ${document.documentId}.`,
    job && !problem.includes(job) && `The job is ${job}.`,
    retryAfter && `${waitHint(status)} ${Attempt.formatDuration(retryAfter)}.`,
    attemptsSentence(attempts),
    uncertaintySentence(attempts),
    characters !== undefined && `Up to ${characters} characters may have been counted for this request.`,
    sentence(advice),
    error.traceId && `Trace id ${error.traceId}.`
  ].filter(Boolean).join(" ")
}

const text = Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed("")))

export const failureFields = {
  operation: text,
  description: text,
  status: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  /** Identifies the response in the service's logs. */
  traceId: Schema.optionalKey(Schema.String),
  retryAfter: Schema.optionalKey(Schema.Duration),
  attempts: Schema.Array(Attempt.Attempt).pipe(Schema.withConstructorDefault(Effect.succeed([]))),
  /** The range of texts in a bulk run: inclusive indexes in the input, from 0. */
  texts: Schema.optionalKey(Schema.Struct({ first: Schema.Int, last: Schema.Int })),
  targetLanguage: Schema.optionalKey(Schema.String),
  /** The client's prefix for environment variables. */
  prefix: Schema.optionalKey(Schema.String),
  plan: Schema.optionalKey(
    Schema.Struct({ failed: Schema.String, done: Schema.Array(Schema.String), left: Schema.Array(Schema.String) })
  ),
  document: Schema.optionalKey(Schema.Struct({
    documentId: DocumentId,
    documentKey: Schema.Redacted(Schema.String)
  })),
  job: Schema.optionalKey(AnyJobId),
  /** Upper bound of the characters counted for attempts of unknown outcome, including other calls' characters in a shared request. */
  possiblyCountedCharacters: Schema.optionalKey(Schema.Int),
  /** The effect of repeating the request; absent if no request was made. */
  repeat: Schema.optionalKey(RepeatKind)
}

type FieldsOf<Fields extends Schema.Struct.Fields> = Schema.Struct.Type<Fields>

interface Shared extends FieldsOf<typeof failureFields> {}

interface SharedInput extends Partial<Shared> {}

interface SharedEncoded extends Schema.Struct.Encoded<typeof failureFields> {}

export interface Failure extends Shared {
  readonly _tag: string
  readonly category: Category
  readonly outcome: Outcome
  readonly isTransient: boolean
}

export const isFailure = (error: unknown): error is Failure => isCategorized(error) && "outcome" in error

export const releasedCode = "ERR_CLIENT_RELEASED"

/** Reasons not to send a call. */
export const deadlineTooNear = {
  pause: "Nothing was sent: the service fails too often, and the client's pause is longer than the time left",
  response: "Nothing was sent: responses take longer than the time left"
}

/** Types of an error class's constants. `refused` becomes `refused | unknown`, because an earlier attempt may have taken effect. */
export interface Facts<C extends Category, O extends Outcome> {
  readonly category: C
  readonly outcome: O extends "refused" ? "refused" | "unknown" : O
  readonly isTransient: (typeof categories)[C][3]
}

/** Puts `message` first in JSON, and makes Node.js print the stack first. */
// oxlint-disable-next-line typescript/no-explicit-any -- TypeScript requires `any` for a mixin's constructor parameters
export const messageFirst = <Class extends new(...args: Array<any>) => Cause.YieldableError>(Base: Class): Class =>
  class extends Base {
    override toJSON(): object {
      return { message: this.message, ...Object(super.toJSON()) }
    }
    override [NodeInspectSymbol](): unknown {
      return this
    }
  }

type Sentences = readonly [problem: string, advice: string]

const make = (
  tag: string,
  category: Category,
  fields: Schema.Struct.Fields,
  // `never`, because each class passes a function of its instance type.
  sentences: Sentences | ((error: never) => Sentences),
  outcome: Outcome = categories[category][2]
): unknown =>
  class Base
    extends messageFirst(Schema.TaggedError<Base>()<string, typeof failureFields>(tag, { ...failureFields, ...fields }))
  {
    constructor(input?: object, options?: Schema.MakeOptions) {
      super(input, options)
      Object.assign(this, {
        category,
        ...("outcome" in fields
          ? undefined
          : { outcome: outcome === "refused" ? outcomeOfCall(this.attempts, outcome) : outcome }),
        ...("isTransient" in fields ? undefined : { isTransient: categories[category][3] })
      })
    }
    override get message(): string {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const [problem, advice] = typeof sentences === "function" ? sentences(this as never) : sentences
      return message(this, problem, advice)
    }
  }

type Without<S, Fields> = keyof S & keyof Fields extends never ? S : Omit<S, keyof Fields>

/** An error class. Shared fields are interfaces because this halves the type-checking time of programs. */
export interface FailureClass<Self, Tag extends string, F, Fields extends Schema.Struct.Fields>
  extends Schema.BottomLazyWithoutNew<SchemaAST.Declaration, Schema.Codec<Self, unknown>>
{
  readonly "Type": Self
  readonly "Encoded": { readonly _tag: Tag } & Schema.Struct.Encoded<Fields> & Without<SharedEncoded, Fields>
  readonly "DecodingServices": never
  readonly "EncodingServices": never
  new(
    ...args: {} extends Schema.Struct.MakeIn<Fields>
      ? [fields?: Schema.Struct.MakeIn<Fields> & Without<SharedInput, Fields>, options?: Schema.MakeOptions]
      : [fields: Schema.Struct.MakeIn<Fields> & Without<SharedInput, Fields>, options?: Schema.MakeOptions]
  ): { readonly _tag: Tag } & FieldsOf<Fields> & Without<F, Fields> & Without<Shared, Fields> & Cause.YieldableError
}

/** Makes an error class. A declared field `outcome` or `isTransient` replaces the category's value. */
export const failure = <Self>() =>
<
  Tag extends string,
  C extends Category,
  const Fields extends Schema.Struct.Fields,
  O extends Outcome = (typeof categories)[C][2]
>(
  tag: Tag,
  category: C,
  fields: Fields,
  sentences:
    | Sentences
    | ((error: FieldsOf<Fields> & Without<Facts<C, O>, Fields> & Without<Shared, Fields>) => Sentences),
  outcome?: O
): FailureClass<Self, Tag, Facts<C, O>, Fields> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a class cannot extend a class with generic fields
  make(tag, category, fields, sentences, outcome) as FailureClass<Self, Tag, Facts<C, O>, Fields>

/** True if the client may retry the request. The service forbids retries after a 456. */
export const mayBeRepeated = ({ isTransient, status }: Failure): boolean => isTransient && status !== 456
