/** The errors that each service method can fail with, told as the service and the client tell them. */
import { Attempt } from "@effect-lingua/core/client/Attempt"
import * as CallError from "@effect-lingua/core/client/CallError"
import * as ServiceError from "@effect-lingua/core/client/ServiceError"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { OperationName } from "../../faults/Fault.ts"
import { nameOf } from "../../faults/internal/operations.ts"
import { derive } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import type { Method } from "./requests.ts"

/** What a service method can fail with. */
export type Failure<Name extends OperationName> = Method<Name> extends
  (...input: never) => Effect.Effect<unknown, infer Error extends { readonly _tag: string }, unknown> ? Error : never

type CallTag<Name extends OperationName> = Extract<Failure<Name>["_tag"], keyof typeof CallError>

const transport = {
  AttemptTimeout: true,
  CircuitOpen: true,
  ConnectionFailed: true,
  ConnectionLost: true,
  DeadlineExceeded: true,
  InvalidInput: true,
  UnexpectedResponse: true
} as const

const limited = { ...transport, LimitExceeded: true } as const

/** A creating call whose input has no limits. */
const issuing = {
  CircuitOpen: true,
  ConnectionFailed: true,
  DeadlineExceeded: true,
  InvalidInput: true,
  OutcomeUnknown: true,
  UnexpectedResponse: true
} as const

const creating = { ...issuing, LimitExceeded: true } as const

const metered = { ...limited, BudgetExceeded: true } as const

/** The errors that come beside those of the contract. The compiler asks for each that a method can fail with. */
const callErrors: { readonly [Name in OperationName]: Readonly<Record<CallTag<Name>, true>> } = {
  "Admin.analytics": limited,
  "Admin.createKey": issuing,
  "Admin.deactivateKey": transport,
  "Admin.listCustomTagUsage": limited,
  "Admin.listKeys": transport,
  "Admin.setKeyLabel": transport,
  "Admin.setKeyLimits": transport,
  "Detection.detect": limited,
  "Documents.download": { ...transport, DownloadInterrupted: true },
  "Documents.status": transport,
  "Documents.upload": { ...creating, BudgetExceeded: true, SourceFailed: true },
  "Glossaries.create": { ...creating, InvalidEntries: true },
  "Glossaries.entries": transport,
  "Glossaries.get": transport,
  "Glossaries.list": transport,
  "Glossaries.merge": { ...limited, InvalidEntries: true },
  "Glossaries.remove": transport,
  "Glossaries.removeDictionary": transport,
  "Glossaries.replaceDictionary": { ...limited, InvalidEntries: true },
  "GlossariesV2.create": { ...creating, InvalidEntries: true },
  "GlossariesV2.entries": { ...transport, GlossaryV3Only: true },
  "GlossariesV2.get": { ...transport, GlossaryV3Only: true },
  "GlossariesV2.list": transport,
  "GlossariesV2.remove": { ...transport, GlossaryV3Only: true },
  "Languages.glossaryPairs": transport,
  "Languages.list": transport,
  "Languages.listV2": transport,
  "Languages.resources": transport,
  "QualityEvaluation.status": transport,
  "QualityEvaluation.start": creating,
  "StyleRules.addInstruction": creating,
  "StyleRules.create": creating,
  "StyleRules.get": transport,
  "StyleRules.getInstruction": transport,
  "StyleRules.list": transport,
  "StyleRules.remove": transport,
  "StyleRules.removeInstruction": transport,
  "StyleRules.rename": limited,
  "StyleRules.replaceConfiguredRules": transport,
  "StyleRules.replaceInstruction": limited,
  "Translation.translate": metered,
  "TranslationMemories.get": transport,
  "TranslationMemories.status": transport,
  "TranslationMemories.listPage": transport,
  "TranslationMemories.listSegmentsPage": transport,
  "TranslationMemories.remove": transport,
  "TranslationMemories.startExport": transport,
  "TranslationMemories.startImport": creating,
  "Usage.get": transport,
  "Voice.start": creating,
  "Voice.status": transport,
  "Voice.reconnect": issuing,
  "Voice.requestSession": creating,
  "Writing.correct": metered,
  "Writing.rephrase": metered
}

type Error =
  | InstanceType<typeof ServiceError[Exclude<keyof typeof ServiceError, "codecs">]>
  | InstanceType<typeof CallError[keyof typeof CallError]>

/** The words by which meanings of one status are told apart (reference A4), and those of the others. */
const words: Readonly<Record<string, ReadonlyArray<string>>> = {
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

const otherWords = ["Something went wrong", "Try again later.", "Grüße vom Dienst 👋"]

const scopes = ["style_rules:read", "style_rules:write", "translate:text", "write:improve", "languages:read"]

/** How an error of the service is told. Each part shrinks to its first. */
const Telling = Schema.Struct({
  words: Leaves.int(0, 2),
  code: Leaves.pick(["invalid_request", "invalid_content_type", "1042"]),
  systemCode: Leaves.pick(["ECONNRESET", "ECONNREFUSED", "EAI_AGAIN", "UND_ERR_SOCKET"]),
  detail: Leaves.pick(["See the documentation.", "The cluster «eu-1» did not answer", "再試行してください"]),
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

/** Errors that come before anything was sent. */
const unsent = new Set(["InvalidInput", "InvalidEntries", "LimitExceeded", "CircuitOpen"])

/** The same error with other fields. */
const refit = <E extends Error>(error: E, fields: object): E => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every class of this library is made from its fields
  const Class = error.constructor as new(fields: object) => E
  // What the lists of a client say, its key, its characters, and what of a run, a plan or a document it is about, is not told by
  // the service.
  const own = new Set([
    "languages",
    "texts",
    "targetLanguage",
    "plan",
    "document",
    "keyKind",
    "possiblyCountedCharacters"
  ])
  const given = Object.fromEntries(
    Object.entries(error).filter(([field]) => !own.has(field))
  )
  // The cause of an error is not enumerable.
  return new Class({ ...given, ...("cause" in error ? { cause: error.cause } : undefined), ...fields })
}

const told = (error: Error, operation: OperationName, status: number | undefined, how: typeof Telling.Type): Error => {
  const { [error._tag]: said = otherWords } = words
  const fields = {
    ...(status === undefined ? undefined : { status }),
    ...("code" in error ? { code: status === undefined ? how.systemCode : how.code } : undefined),
    // What the journal of a client knows is not told by the service.
    ...(error._tag === "TooManyDocuments" ? { pending: [] } : undefined),
    ...(error._tag === "MissingScope"
      ? { detail: `Missing required scope(s): ${how.scope}`, scopes: [how.scope] }
      : "detail" in error
      ? { detail: how.detail }
      : undefined)
  }
  const description = said[how.words % said.length]
  const named = refit(error, { operation, description, attempts: [], ...fields })
  return refit(named, { attempts: unsent.has(error._tag) ? [] : ledger(named, operation, how.waits) })
}

const classes = Object.values<unknown>({ ...ServiceError, ...CallError })

const isError = (value: unknown): value is Error =>
  classes.some((Class) => typeof Class === "function" && value instanceof Class)

const telling = Arbitrary.schema(Telling)
const untold = new Map<SchemaAST.AST, Arbitrary.Arbitrary<Error>>()

/** The errors of a class before they are told; made once for all operations. */
const ofClass = (ast: SchemaAST.AST): Arbitrary.Arbitrary<Error> => {
  const made = untold.get(ast) ?? Arbitrary.filter(derive(Schema.make(ast)), isError)
  untold.set(ast, made)
  return made
}

interface Member {
  readonly ast: SchemaAST.AST
  readonly status?: number
}

/** The errors of the contract, each with the statuses that it can have. */
const contract = new Map<OperationName, ReadonlyArray<Member>>()

HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group }) => {
    contract.set(
      nameOf(group, endpoint),
      Array.from(errors).flatMap(([status, schemas]) =>
        schemas.flatMap((schema) => {
          const { ast } = Schema.toType(schema)
          return (SchemaAST.isUnion(ast) ? ast.types : [ast]).map((ast) => ({ ast, status }))
        })
      )
    )
  }
})

const callClasses: Readonly<Record<string, Schema.Top>> = CallError

/** Every error that a service method can fail with. A method that creates says `OutcomeUnknown` where others do not know. */
export const failures = <Name extends OperationName>(name: Name): Arbitrary.Arbitrary<Failure<Name>> => {
  const calls: Readonly<Record<string, true>> = callErrors[name]
  const creates = "OutcomeUnknown" in calls
  const members: ReadonlyArray<Member> = [
    ...contract.get(name) ?? [],
    ...Object.keys(calls).flatMap((tag) => {
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
        Arbitrary.all({ error: ofClass(ast), how: telling }),
        ({ error, how }) => told(error, name, status, how)
      )
    }
  )
  return Arbitrary.filter(
    any,
    (error): error is Failure<Name> =>
      isError(error) && (!creates || error.outcome !== "unknown" || error._tag === "OutcomeUnknown")
  )
}
