/** The errors that each service method can fail with, with the messages of the service and the ledger of the client. */
import { Attempt } from "@effect-lingua/core/errors/Attempt"
import * as CallError from "@effect-lingua/core/errors/CallError"
import * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { OperationName } from "../../faults/Fault.ts"
import { operation, repeatOf } from "../../faults/internal/operations.ts"
import type { Failure } from "./contract.ts"
import { derive } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import { lostAnswers, type OperationRecord, usualErrors } from "./record.ts"

type Error =
  | InstanceType<typeof ServiceError[keyof typeof ServiceError]>
  | InstanceType<typeof CallError[keyof typeof CallError]>

/** The messages of the service by error. They distinguish the errors that share a status. */
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

const scopes = ["style_rules:read", "style_rules:write", "translate:text", "write:improve", "languages:read"]

/** The details of an error and the waits before it. Each part shrinks to its first value. */
const Details = Schema.Struct({
  message: Leaves.int(0, 2),
  code: Leaves.pick(["invalid_request", "invalid_content_type", "1042"]),
  systemCode: Leaves.pick(["ECONNRESET", "ECONNREFUSED", "EAI_AGAIN", "UND_ERR_SOCKET"]),
  detail: Leaves.pick(["See the documentation.", "The cluster «eu-1» did not respond", "再試行してください"]),
  scope: Leaves.pick(scopes),
  waits: Schema.Array(Leaves.int(0, 20_000)).check(Schema.isMaxLength(4))
})

/** Attempts that were refused, and a last one that ended as the call did. */
const ledger = (error: Error, operation: OperationName, waits: ReadonlyArray<number>): ReadonlyArray<Attempt> => {
  const end: Partial<ConstructorParameters<typeof Attempt>[0]> = {
    failure: error._tag,
    outcome: error.outcome,
    ...("status" in error && error.status !== undefined ? { status: error.status } : undefined),
    ...("traceId" in error && error.traceId !== undefined ? { traceId: error.traceId } : undefined)
  }
  return [...waits, 0].map((_, index) =>
    new Attempt({
      operation,
      number: index + 1,
      waited: Duration.millis(waits[index - 1] ?? 0),
      took: Duration.millis(20),
      ...(index > 0 ? { waitCause: "backoff" } : undefined),
      ...(index === waits.length ? end : { status: 429, failure: "RateLimited", outcome: "refused" as const })
    })
  )
}

/** Errors of a response that the contract does not have: its fields are those of the error. */
const ofResponse = new Set(["UnexpectedResponse", "TransferFailed"])

/** Errors that are raised before a request is sent. */
const unsent = new Set(["InvalidInput", "InvalidEntries", "LimitExceeded", "CircuitOpen"])

/** The same error with other fields. */
const refit = <E extends Error>(error: E, fields: object, without: ReadonlyArray<string> = []): E => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every class of this library is made from its fields
  const Class = error.constructor as new(fields: object) => E
  // Fields that the client sets and the service does not send.
  const own = new Set([
    "languages",
    "texts",
    "targetLanguage",
    "plan",
    "document",
    "keyKind",
    "possiblyCountedCharacters",
    "job",
    "repeat",
    ...error.name === "BudgetExceeded" ? [] : ["tenant"],
    "prefix",
    ...without
  ])
  const given = Object.fromEntries(
    Object.entries(error).filter(([field]) => !own.has(field))
  )
  // The cause of an error is not enumerable.
  return new Class({ ...given, ...("cause" in error ? { cause: error.cause } : undefined), ...fields })
}

const withDetails = (
  bare: Error,
  operation: OperationName,
  status: number | undefined,
  details: typeof Details.Type
): Error => {
  const error = status === undefined && !ofResponse.has(bare._tag) ? refit(bare, {}, ["status", "detail"]) : bare
  const { [error._tag]: candidates = otherMessages } = messages
  const fields = {
    ...(status === undefined ? undefined : { status }),
    ...("code" in error ? { code: status === undefined ? details.systemCode : details.code } : undefined),
    // Pending documents are known to the journal of the client only.
    ...(error._tag === "TooManyDocuments" ? { pending: [] } : undefined),
    ...(error._tag === "MissingScope"
      ? { detail: `Missing required scope(s): ${details.scope}`, scopes: [details.scope] }
      : status !== undefined && "detail" in error
      ? { detail: details.detail }
      : undefined)
  }
  const description = candidates[details.message % candidates.length]
  const named = refit(error, { operation, description, attempts: [], ...fields })
  return refit(named, { attempts: unsent.has(error._tag) ? [] : ledger(named, operation, details.waits) })
}

const classes = Object.values<unknown>({ ...ServiceError, ...CallError })

const isError = (value: unknown): value is Error =>
  classes.some((Class) => typeof Class === "function" && value instanceof Class)

const detailed = Arbitrary.schema(Details)
const bare = new Map<SchemaAST.AST, Arbitrary.Arbitrary<Error>>()

/** Errors of a class without the details of a response; made once for all operations. */
const ofClass = (ast: SchemaAST.AST): Arbitrary.Arbitrary<Error> => {
  const made = bare.get(ast) ?? Arbitrary.filter(derive(Schema.make(ast)), isError)
  bare.set(ast, made)
  return made
}

interface Member {
  readonly ast: SchemaAST.AST
  readonly status?: number
}

/** The errors that the contract declares for an operation, each with the statuses that it can have. */
const declared = (name: OperationName): ReadonlyArray<Member> =>
  Array.from(operation(name).errors).flatMap(([status, schemas]) =>
    schemas.flatMap((schema) => {
      const { ast } = Schema.toType(schema)
      return (SchemaAST.isUnion(ast) ? ast.types : [ast]).map((ast) => ({ ast, status }))
    })
  )

const callClasses: Readonly<Record<string, Schema.Top>> = CallError

/** Generates every error that a service method can fail with. A creating call has `OutcomeUnknown` for a lost response. */
export const failures = <Name extends OperationName>(
  name: Name,
  { breaches = [], errors }: OperationRecord<Name>
): Arbitrary.Arbitrary<Failure<Name>> => {
  const creates = repeatOf(name) === "Create"
  const tags = new Set([
    ...usualErrors,
    ...(creates ? ["OutcomeUnknown"] : lostAnswers),
    ...breaches.map(([, error]) => error),
    ...Object.keys(errors ?? {})
  ])
  const members: ReadonlyArray<Member> = [
    ...declared(name),
    ...[...tags].flatMap((tag) => {
      const schema = callClasses[tag]
      return schema === undefined ? [] : [{ ast: Schema.toType(schema).ast }]
    })
  ]
  const simplest: Member = { ast: Schema.toType(ServiceError.BadRequest).ast, status: 400 }
  const any: Arbitrary.Arbitrary<unknown> = Arbitrary.flatMap(
    Arbitrary.schema(Leaves.int(0, members.length - 1)),
    (index) => {
      const { ast, status } = members[index] ?? simplest
      return Arbitrary.map(
        Arbitrary.all({ error: ofClass(ast), details: detailed }),
        ({ error, details }) => withDetails(error, name, status, details)
      )
    }
  )
  return Arbitrary.filter(
    any,
    (error): error is Failure<Name> =>
      isError(error) && (!creates || error.outcome !== "unknown" || error._tag === "OutcomeUnknown")
  )
}
