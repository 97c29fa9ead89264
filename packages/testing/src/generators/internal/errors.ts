/** Generates each method's errors, with the service's messages and the client's attempts. */
import { Attempt } from "@effect-lingua/core/errors/Attempt"
import * as CallError from "@effect-lingua/core/errors/CallError"
import * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { OperationName } from "../../faults/Fault.ts"
import { operation, repeatOf } from "../../faults/internal/operations.ts"
import type { Failure, Rules } from "./contract.ts"
import { type Fields, meaningful } from "./derive.ts"
import * as Leaves from "./leaves.ts"

const usual = ["CircuitOpen", "ConnectionFailed", "DeadlineExceeded", "InvalidInput", "UnexpectedResponse"]

/** Errors after a lost response. A creating call fails with `OutcomeUnknown` instead. */
const lost = ["AttemptTimeout", "ConnectionLost"]

/** The service's messages, which distinguish errors that share a status. */
const messages: Readonly<Record<string, ReadonlyArray<string>>> = {
  InvalidKey: ["Missing or invalid key", "Authentication failed"],
  WrongTier: ["Wrong endpoint. Use the address of the free tier.", "This operation is not part of the free tier"],
  AccessDenied: ["Forbidden", "Feature not enabled"],
  MissingScope: ["Forbidden"],
  DocumentAlreadyDownloaded: ["Document already downloaded", "The document was already downloaded"],
  DocumentNotFound: ["Document not found"],
  DocumentNotReady: ["Document is not ready", "Document translation is not done"],
  ServiceUnavailable: ["Service unavailable", "The server is overloaded"],
  QuotaExceeded: ["Quota Exceeded"],
  TooManyGlossaryRequests: ["Too many requests were made to the glossary endpoints"],
  TooManyDocuments: ["Too many documents are in translation", "Too many finished documents, download them first"],
  BadRequest: ["Value for 'target_lang' not supported.", "Bad request. Reason: cannot be read."],
  NotFound: ["Style rule list not found", "Custom instruction not found"],
  ExportRunning: ["Another export of this translation memory is still running"]
}

const otherMessages = ["Something went wrong", "Try again later.", "Grüße vom Dienst 👋"]

/** Optional fields that errors of a single call never have. */
const absent: Fields = Object.fromEntries(
  (
    "document job keyKind languages pending plan possiblyCountedCharacters prefix repeat targetLanguage tenant texts"
  ).split(" ").map((name) => [name, null])
)

const scope = "style_rules:write"

/** Errors about a response that violates the contract. */
const ofResponse = new Set(["UnexpectedResponse", "TransferFailed"])

const fieldsOf = (operation: OperationName, tag: string, status?: number): Fields => ({
  ...absent,
  operation: Schema.Literal(operation),
  description: Leaves.pick(messages[tag] ?? otherMessages),
  attempts: Schema.Tuple([]),
  ...(status === undefined
    ? {
      code: Leaves.pick(["ECONNRESET", "ECONNREFUSED", "EAI_AGAIN", "UND_ERR_SOCKET"]),
      ...(ofResponse.has(tag) ? undefined : { status: null, detail: null })
    }
    : {
      status: Schema.Literal(status),
      code: Leaves.pick(["invalid_request", "invalid_content_type", "1042"]),
      detail: tag === "MissingScope"
        ? Schema.Literal(`Missing required scope(s): ${scope}`)
        : Leaves.pick(["See the documentation.", "The cluster «eu-1» did not respond", "再試行してください"]),
      scopes: Schema.Tuple([Schema.Literal(scope)])
    })
})

type Error =
  | InstanceType<typeof ServiceError[keyof typeof ServiceError]>
  | InstanceType<typeof CallError[keyof typeof CallError]>

const classes = Object.values<unknown>({ ...ServiceError, ...CallError })

const isError = (value: unknown): value is Error =>
  classes.some((Class) => typeof Class === "function" && value instanceof Class)

const unsent = new Set(["BudgetExceeded", "Busy", "CircuitOpen", "InvalidEntries", "InvalidInput", "LimitExceeded"])

/** Adds attempts to an error: refused attempts, and a last attempt with the error. */
const withLedger = (error: Error, waits: ReadonlyArray<number>): Error => {
  if (unsent.has(error._tag)) return error
  const attempts = [...waits, 0].map((_, index) =>
    new Attempt({
      operation: error.operation,
      number: index + 1,
      waited: Duration.millis(waits[index - 1] ?? 0),
      took: Duration.millis(20),
      ...(index > 0 ? { waitCause: "backoff" } : undefined),
      ...(index < waits.length
        ? { status: 429, failure: "RateLimited", outcome: "refused" }
        : {
          failure: error._tag,
          outcome: error.outcome,
          ...(error.status === undefined ? undefined : { status: error.status }),
          ...(error.traceId === undefined ? undefined : { traceId: error.traceId })
        })
    })
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every error class is made from its fields
  const Class = error.constructor as new(fields: object) => Error
  // Copies the cause too, which is not enumerable.
  const fields = "cause" in error ? { cause: error.cause, attempts } : { attempts }
  return new Class(Object.assign(Object.fromEntries(Object.entries(error)), fields))
}

const tagOf = (ast: SchemaAST.AST): string => String(ast.annotations?.["identifier"])

const callErrors: Readonly<Record<string, Schema.Top>> = CallError

const membersOf = (name: OperationName, others: object): ReadonlyArray<Schema.Top> => [
  ...Array.from(operation(name).errors).flatMap(([status, schemas]) =>
    schemas.flatMap((schema) => {
      const { ast } = Schema.toType(schema)
      return (SchemaAST.isUnion(ast) ? ast.types : [ast])
        .map((ast) => meaningful(ast, "", fieldsOf(name, tagOf(ast), status)))
    })
  ),
  ...[...usual, ...(repeatOf(name) === "Create" ? ["OutcomeUnknown"] : lost), ...Object.keys(others)].flatMap((tag) => {
    const schema = callErrors[tag]
    return schema === undefined ? [] : [meaningful(Schema.toType(schema).ast, "", fieldsOf(name, tag))]
  })
]

export const error = <Name extends OperationName>(
  name: Name,
  { errors }: Rules<Name>
): Arbitrary.Arbitrary<Failure<Name>> => {
  const waits = Schema.Array(Leaves.int(0, 20_000)).check(Schema.isMaxLength(4))
  const creates = repeatOf(name) === "Create"
  return Arbitrary.filter(
    Arbitrary.map(
      Arbitrary.schema(Schema.Struct({ error: Schema.Union(membersOf(name, errors ?? {})), waits })),
      ({ error, waits }): unknown => isError(error) ? withLedger(error, waits) : error
    ),
    (error): error is Failure<Name> =>
      isError(error) && (!creates || error.outcome !== "unknown" || error._tag === "OutcomeUnknown")
  )
}
