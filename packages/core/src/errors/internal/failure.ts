/** The shared fields of this library's errors, their messages, and the constructor of their classes. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { AnyJobId, DocumentId } from "../../contract/Ids.ts"
import { RepeatKind } from "../../contract/internal/endpoint.ts"
import * as Attempt from "../Attempt.ts"
import { type Category, isCategorized } from "./categories.ts"

/**
 * The known effect of a failed attempt or call. `refused`: nothing happened. `unknown`: it may have taken effect. `pending`: not ready yet.
 */
export type Outcome = "refused" | "unknown" | "pending"

/** The outcome of a response outside of the contract. */
export const outcomeOf = (status: number): "refused" | "unknown" =>
  status < 300 || status >= 500 ? "unknown" : "refused"

/**
 * The outcome of a call: its last attempt's, unless an earlier attempt may have taken effect. Attempts before a `pending` one did not consume the
 * document.
 */
export const outcomeOfCall = <Last extends Outcome>(
  attempts: ReadonlyArray<{ readonly outcome?: Outcome }>,
  last: Last
): Last | "unknown" =>
  attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === "pending") + 1)
      .some(({ outcome }) => outcome === "unknown")
    ? "unknown"
    : last

const about = ({ first, last }: NonNullable<Failure["texts"]>): string =>
  first === last ? `It is about text ${first}.` : `It is about texts ${first} to ${last}.`

const unfinished = ({ done, failed, left }: NonNullable<Failure["plan"]>): string =>
  `It was to ${failed}. Calls of the plan: ${done.length} made, ${left.length} left.`

const uncertain = (attempts: Failure["attempts"]): string =>
  attempts.at(-1)?.outcome !== "unknown" && outcomeOfCall(attempts, "refused") === "unknown"
    ? "The outcome of an earlier attempt is not known."
    : ""

const tried = (attempts: Failure["attempts"]): string => {
  if (attempts.length > 1) return `Tried ${attempts.length} times: ${Attempt.format(attempts)}.`
  const stop = attempts[0]?.stopCause
  return stop === undefined ? "" : `Not tried again (${stop}).`
}

const sentence = (text: string): string => text === "" || /[.!?]$/.test(text) ? text : `${text}.`

const hint = (status: number | undefined): string => status === undefined ? "Retry in" : "The service asks to wait"

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
    texts && about(texts),
    targetLanguage && `The target was ${targetLanguage}.`,
    plan && unfinished(plan),
    document && !problem.includes(document.documentId) && `The document is ${document.documentId}.`,
    job && !problem.includes(job) && `The job is ${job}.`,
    retryAfter && `${hint(status)} ${Attempt.formatDuration(retryAfter)}.`,
    tried(attempts),
    uncertain(attempts),
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
  /** The texts of a run: inclusive positions in the input, from 0. */
  texts: Schema.optionalKey(Schema.Struct({ first: Schema.Int, last: Schema.Int })),
  targetLanguage: Schema.optionalKey(Schema.String),
  /** The client's `prefix` of variables. */
  prefix: Schema.optionalKey(Schema.String),
  plan: Schema.optionalKey(
    Schema.Struct({ failed: Schema.String, done: Schema.Array(Schema.String), left: Schema.Array(Schema.String) })
  ),
  document: Schema.optionalKey(Schema.Struct({
    documentId: DocumentId,
    documentKey: Schema.Redacted(Schema.String)
  })),
  job: Schema.optionalKey(AnyJobId),
  /** The maximum of characters counted over all attempts of unknown outcome. A request shared by several calls has the characters of all. */
  possiblyCountedCharacters: Schema.optionalKey(Schema.Int),
  /** The effect of repeating the operation; absent if no request was made. */
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

/** Facts of an error class: its category, and outcome and transience unless they are fields. */
type Facts = Pick<Failure, "category"> & Partial<Pick<Failure, "outcome" | "isTransient">>

type FactsOf<F extends Facts> = (attempts: ReadonlyArray<Attempt.Attempt>) => F

export const categorized = <C extends Category>(category: C) => () => ({ category })

export interface Fixed<C extends Category, O extends Outcome, T extends boolean> {
  readonly category: C
  readonly outcome: O
  readonly isTransient: T
}

export const always = <C extends Category, O extends Outcome, T extends boolean>(
  category: C,
  outcome: O,
  isTransient: T
) =>
(): Fixed<C, O, T> => ({ category, outcome, isTransient })

/** For classes of calls without effect that fail again. */
export const permanent = <C extends Category>(category: C) => always(category, "refused", false)

/** For classes of a refused attempt: an earlier attempt may have taken effect. */
export const refused = <C extends Category, T extends boolean>(category: C, isTransient: T) =>
(
  attempts: ReadonlyArray<Attempt.Attempt>
): Fixed<C, "refused" | "unknown", T> => ({
  category,
  outcome: outcomeOfCall(attempts, "refused"),
  isTransient
})

/** Puts the message first in JSON, and the stack first in Node.js's output. */
// oxlint-disable-next-line typescript/no-explicit-any -- TypeScript asks for it in a function that extends its parameter
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
  fields: typeof failureFields & Schema.Struct.Fields,
  facts: FactsOf<Facts>,
  // The parameter has the type of the class.
  sentences: Sentences | ((error: never) => Sentences)
): unknown =>
  class Base extends messageFirst(Schema.TaggedError<Base>()<string, typeof failureFields>(tag, fields)) {
    constructor(fields?: object, options?: Schema.MakeOptions) {
      super(fields, options)
      Object.assign(this, facts(this.attempts))
    }
    override get message(): string {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const [problem, advice] = typeof sentences === "function" ? sentences(this as never) : sentences
      return message(this, problem, advice)
    }
  }

/** Shared fields that the class does not redefine. */
type Without<S, Fields> = keyof S & keyof Fields extends never ? S : Omit<S, keyof Fields>

/** An error class. Shared fields are common interfaces, which halves the time to check types of programs. */
export interface FailureClass<Self, Tag extends string, F extends Facts, Fields extends Schema.Struct.Fields>
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
  ): { readonly _tag: Tag } & FieldsOf<Fields> & F & Without<Shared, Fields> & Cause.YieldableError
}

export const failure = <Self>() =>
<Tag extends string, F extends Facts, const Fields extends Schema.Struct.Fields>(
  tag: Tag,
  facts: FactsOf<F>,
  fields: Fields,
  sentences: Sentences | ((error: FieldsOf<Fields> & F & Without<Shared, Fields>) => Sentences)
): FailureClass<Self, Tag, F, Fields> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no class can extend one whose fields are a type parameter
  make(tag, { ...failureFields, ...fields }, facts, sentences) as FailureClass<Self, Tag, F, Fields>

export const answer = <Self>() =>
<Tag extends string, F extends Facts>(
  tag: Tag,
  facts: FactsOf<F>,
  sentences: Sentences
): FailureClass<Self, Tag, F, {}> => failure<Self>()(tag, facts, {}, sentences)

/** True if the client may repeat the request. The service forbids retries after a 456. */
export const mayBeRepeated = ({ isTransient, status }: Failure): boolean => isTransient && status !== 456
