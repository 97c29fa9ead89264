/**
 * One record for each operation, in the file of its group: the facts that the contract does not have. Requests and responses
 * are derived from the schemas of the contract where a record does not replace them, and so are the rules of ids in paths.
 */
import * as Limits from "@effect-lingua/core/contract/Limits"
import type * as CallError from "@effect-lingua/core/errors/CallError"
import type * as Arbitrary from "effect/Arbitrary"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { ServiceState } from "../../fake/internal/model.ts"
import type { OperationName } from "../../faults/Fault.ts"
import type { Endpoint, Failure, Request, Response } from "./contract.ts"

/** A rule of the input that the client checks, the error of a request that breaks it, and the fields that break it. */
export type Breach = readonly [rule: string, error: "InvalidEntries" | "InvalidInput" | "LimitExceeded", fields: object]

/** The failures of a call of every operation. */
export const usualErrors = [
  "CircuitOpen",
  "ConnectionFailed",
  "DeadlineExceeded",
  "InvalidInput",
  "UnexpectedResponse"
] as const

/** The failures of a call whose response is lost. A creating call has `OutcomeUnknown` for them. */
export const lostAnswers = ["AttemptTimeout", "ConnectionLost"] as const

type OtherError<Name extends OperationName> = Exclude<
  Extract<Failure<Name>["_tag"], keyof typeof CallError>,
  typeof usualErrors[number] | typeof lostAnswers[number] | "OutcomeUnknown" | Breach[1]
>

/** The generators of an operation beyond the contract. */
export interface OperationRecord<Name extends OperationName> {
  /** Valid requests, if the contract does not state all rules. */
  readonly request?: Arbitrary.Arbitrary<Request<Name>>
  /**
   * The ids of a request for each choice that a state leaves, with the languages that go with them. The choice without ids is the first,
   * if they are optional.
   */
  readonly existing?: (state: ServiceState) => ReadonlyArray<Partial<Request<Name>>>
  /** The same request by the rules of the languages that it has. */
  readonly fitting?: (request: Request<Name>) => Request<Name>
  /** Responses, if the service returns only some of those that the contract allows. */
  readonly response?: Arbitrary.Arbitrary<Response<Name>>
  /** Fields of a response that follow from the request, besides those of the same name. */
  readonly answers?: (request: Request<Name>, response: Response<Name>) => Partial<Response<Name>>
  /** Responses to one request, if more of their content follows from it. */
  readonly responseTo?: (request: Request<Name>) => Arbitrary.Arbitrary<Response<Name>>
  /** The rules of the input, besides those of ids in the path. */
  readonly breaches?: ReadonlyArray<Breach>
  /** The failures of a call that neither the contract nor another part of the record declares. */
  readonly errors?: Readonly<Record<OtherError<Name>, true>>
}

type Part<S extends { readonly Type: unknown }> = [S["Type"]] extends [never] ? unknown : S["Type"]

/** Path, query and body of a request in one object, as they are derived from the contract. */
type Derived<Name extends OperationName> =
  & Part<HttpApiEndpoint.Params<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Query<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Payload<Endpoint<Name>>>

/** The parts of a record that have to be there. */
type Needed<Name extends OperationName> =
  & (unknown extends Derived<Name> ? Request<Name> extends void ? unknown : Pick<Full<Name>, "request">
    : Derived<Name> extends Request<Name> ? unknown
    : Pick<Full<Name>, "request">)
  & ([HttpApiEndpoint.Params<Endpoint<Name>>["Type"]] extends [never] ? unknown : Pick<Full<Name>, "existing">)
  & ([OtherError<Name>] extends [never] ? unknown : Pick<Full<Name>, "errors">)

type Full<Name extends OperationName> = Required<OperationRecord<Name>>

/** The records of a group of the contract: one for each of its operations, empty if the contract states everything. */
export type Records<Group extends string> = {
  readonly [Name in OperationName as Name extends `${Group}.${string}` ? Name : never]:
    & OperationRecord<Name>
    & Needed<Name>
}

export const limits = Limits.defaults

/** A text with one character too many. */
export const tooLong = (length: number): string => "x".repeat(length + 1)

/** A valid term of a glossary or of speech: one line, without white space around it. */
export const termOf = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim() || "a"

/** One item too many. */
export const tooMany = <A>(item: A, length: number): ReadonlyArray<A> => Array.from({ length: length + 1 }, () => item)

/** A text of at most some characters. */
export const longer = (field: string, length: number): Breach => [
  `${field} has at most ${length} characters`,
  "LimitExceeded",
  { [field]: tooLong(length) }
]

/** A list of at most some items. */
export const more = (field: string, length: number, item: unknown): Breach => [
  `${field} has at most ${length} items`,
  "LimitExceeded",
  { [field]: tooMany(item, length) }
]

/** The same rules for a part of a request. */
export const within = (breaches: ReadonlyArray<Breach>, place: (fields: object) => object): ReadonlyArray<Breach> =>
  breaches.map(([rule, error, fields]) => [rule, error, place(fields)])

/** The rules of an id. */
export const idBreaches = (name: string): readonly [Breach, ...ReadonlyArray<Breach>] => [
  [`${name} is not empty`, "InvalidInput", { [name]: "" }],
  [`${name} is not a dot segment`, "InvalidInput", { [name]: ".." }],
  [`${name} has no control characters`, "InvalidInput", { [name]: "a\u0000b" }],
  [`${name} has no slashes`, "InvalidInput", { [name]: "../a" }]
]

/** The rules of a requested page. */
export const pageBreaches = (item: string): ReadonlyArray<Breach> => [
  ["pages count from 0", "InvalidInput", { page: -1 }],
  ["a page is a whole number", "InvalidInput", { page: 0.5 }],
  [`a page has at least 1 ${item}`, "InvalidInput", { pageSize: 0 }],
  [`a page has at most 25 of them`, "InvalidInput", { pageSize: limits.pageSize + 1 }]
]
