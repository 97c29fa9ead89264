/** The operations of the contract with their types: the method of the service, its input, its success and its errors. */
import type { Admin } from "@effect-lingua/core/account/Admin"
import type * as CallError from "@effect-lingua/core/errors/CallError"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import type { DetectOptions } from "@effect-lingua/core/texts/Detection"
import type { TranslateOptions } from "@effect-lingua/core/texts/Translation"
import type { CorrectOptions, RephraseOptions } from "@effect-lingua/core/texts/Writing"
import type * as Arbitrary from "effect/Arbitrary"
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { ServiceState } from "../../fake/internal/model.ts"
import type { AddedGroups, AddedServices, OperationName } from "../../faults/Fault.ts"
import type { Fields } from "./derive.ts"

type Groups = (typeof LanguageServiceApi)["groups"] & AddedGroups

/** The endpoint of an operation. */
type Endpoint<Name extends OperationName> = Name extends `${infer Group extends keyof Groups}.${infer Key}`
  ? Key extends keyof Groups[Group]["endpoints"] ? Groups[Group]["endpoints"][Key] : never
  : never

/** The services by their groups: one of the contract has the name of its group at the end of its key. */
type Services =
  & {
    readonly [
      Service in LanguageService | OtherServices | Admin as Service["key"] extends
        `@effect-lingua/core/${string}/${infer Group}` ? Group
        : never
    ]: Service["Service"]
  }
  & AddedServices

/** The service method of an operation. */
type Method<Name extends OperationName> = Name extends `${infer Group extends keyof Services}.${infer Key}`
  ? Key extends keyof Services[Group] ? Services[Group][Key] : never
  : never

/** The inputs of the methods that take one text or a list: those of a list. */
interface TextRequests {
  readonly "Detection.detect": DetectOptions
  readonly "Translation.translate": TranslateOptions
  readonly "Writing.correct": CorrectOptions
  readonly "Writing.rephrase": RephraseOptions
}

/** The input of a service method; `void` for one without parameters. */
export type Request<Name extends OperationName> = Name extends keyof TextRequests ? TextRequests[Name]
  : Method<Name> extends (...input: infer Input) => unknown ? Input extends [] ? void : Exclude<Input[0], undefined>
  : never

/** The decoded body of a successful response. */
export type Response<Name extends OperationName> = HttpApiEndpoint.Success<Endpoint<Name>>["Type"]

/** The errors of a service method. */
export type Failure<Name extends OperationName> = Method<Name> extends
  (...input: never) => Effect.Effect<unknown, infer Error extends { readonly _tag: string }, unknown> ? Error : never

type Part<S extends { readonly Type: unknown }> = [S["Type"]] extends [never] ? unknown : S["Type"]

/** Path, query and body of a request in one object, as they are derived from the contract. */
type Derived<Name extends OperationName> =
  & Part<HttpApiEndpoint.Params<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Query<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Payload<Endpoint<Name>>>

/** The failures of a call of every operation. */
type Usual = "CircuitOpen" | "ConnectionFailed" | "DeadlineExceeded" | "InvalidInput" | "UnexpectedResponse"

/** The failures of a call whose response is lost. */
type Lost = "AttemptTimeout" | "ConnectionLost" | "OutcomeUnknown"

type Other<Name extends OperationName> = Exclude<Extract<Failure<Name>["_tag"], keyof typeof CallError>, Lost | Usual>

/** What the contract does not state about an operation. */
export interface Rules<Name extends OperationName> {
  /** The meanings of fields whose schemas leave them open. */
  readonly fields?: Fields
  /** Makes valid requests of the fields that are derived from the contract. */
  readonly request?: (fields: Arbitrary.Arbitrary<Derived<Name>>) => Arbitrary.Arbitrary<Request<Name>>
  /** The same request by the rules of the languages that it has. */
  readonly fitting?: (request: Request<Name>) => Request<Name>
  /**
   * The objects of a state that a request can be about, with the ids that its path needs. For a request that needs none: the fields for each
   * object that it can refer to, those without an id first.
   */
  readonly existing?: (state: ServiceState) => ReadonlyArray<object>
  /** Responses, if the service returns only some of those that the contract allows. */
  readonly response?: (derived: Arbitrary.Arbitrary<Response<Name>>) => Arbitrary.Arbitrary<Response<Name>>
  /** The failures of a call that only some operations have. */
  readonly errors?: Readonly<Record<Other<Name>, true>>
}

/** The rules that an operation has to have: a request, unless the fields are one, and its other failures. */
type Needed<Name extends OperationName> =
  & (Request<Name> extends void ? unknown
    : Derived<Name> extends Request<Name> ? unknown
    : Required<Pick<Rules<Name>, "request">>)
  & ([Other<Name>] extends [never] ? unknown : Required<Pick<Rules<Name>, "errors">>)

/** The rules of some operations, with all that have to be there. */
export type Table<Name extends OperationName> =
  & { readonly [N in Name as unknown extends Needed<N> ? never : N]: Rules<N> & Needed<N> }
  & { readonly [N in Name]?: Rules<N> }
