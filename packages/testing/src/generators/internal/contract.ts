/** The operations of the contract with their types: the method of the service, its input, its success and its errors. */
import type { Admin } from "@effect-lingua/core/account/Admin"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type * as Contract from "@effect-lingua/core/LanguageServiceApi"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import type { DetectOptions } from "@effect-lingua/core/texts/Detection"
import type { TranslateOptions } from "@effect-lingua/core/texts/Translation"
import type { CorrectOptions, RephraseOptions } from "@effect-lingua/core/texts/Writing"
import type * as Arbitrary from "effect/Arbitrary"
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { ServiceState } from "../../fake/internal/model.ts"
import type { AddedGroups, AddedServices, OperationName } from "../../faults/Fault.ts"

type Groups = (typeof Contract.LanguageServiceApi)["groups"] & AddedGroups

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
type Fields<Name extends OperationName> =
  & Part<HttpApiEndpoint.Params<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Query<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Payload<Endpoint<Name>>>

/** What the contract does not state about an operation. */
export interface Rules<Name extends OperationName> {
  /** Makes valid requests of the fields that are derived from the contract. */
  readonly request?: (fields: Arbitrary.Arbitrary<Fields<Name>>) => Arbitrary.Arbitrary<Request<Name>>
  /** The same request by the rules of the languages that it has. */
  readonly fitting?: (request: Request<Name>) => Request<Name>
  /**
   * The objects of a state that a request can be about, with the ids that its path needs. For a request that needs none: the fields for each
   * object that it can refer to, those without an id first.
   */
  readonly existing?: (state: ServiceState) => ReadonlyArray<object>
  /** Responses, if the service returns only some of those that the contract allows. */
  readonly response?: (derived: Arbitrary.Arbitrary<Response<Name>>) => Arbitrary.Arbitrary<Response<Name>>
  /** The failures of a call of an operation from outside, besides those of every call and of its contract. */
  readonly errors?: Readonly<Partial<Record<Failure<Name>["_tag"], true>>>
}

/** The rules of an operation: with a request, unless the fields are one. */
type Entry<Name extends OperationName> = Request<Name> extends void ? Rules<Name> | undefined
  : Fields<Name> extends Request<Name> ? Rules<Name> | undefined
  : Rules<Name> & Required<Pick<Rules<Name>, "request">>

/** The rules of some operations, by default of the contract, with all that have to be there. */
export type Table<Name extends OperationName = Contract.OperationName> =
  & {
    readonly [N in Name as undefined extends Entry<N> ? never : N]: Entry<N>
  }
  & { readonly [N in Name]?: Rules<N> }
