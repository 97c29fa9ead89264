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

type Endpoint<Name extends OperationName> = Name extends `${infer Group extends keyof Groups}.${infer Key}`
  ? Key extends keyof Groups[Group]["endpoints"] ? Groups[Group]["endpoints"][Key] : never
  : never

/** Maps a group's name, which is the last part of a service's key, to the service. */
type Services =
  & {
    readonly [
      Service in LanguageService | OtherServices | Admin as Service["key"] extends
        `@effect-lingua/core/${string}/${infer Group}` ? Group
        : never
    ]: Service["Service"]
  }
  & AddedServices

type Method<Name extends OperationName> = Name extends `${infer Group extends keyof Services}.${infer Key}`
  ? Key extends keyof Services[Group] ? Services[Group][Key] : never
  : never

/** Inputs with a list of texts, of methods that also accept a single text. */
interface TextRequests {
  readonly "Detection.detect": DetectOptions
  readonly "Translation.translate": TranslateOptions
  readonly "Writing.correct": CorrectOptions
  readonly "Writing.rephrase": RephraseOptions
}

/** The method's input; `void` for an effect without input. */
export type Request<Name extends OperationName> = Name extends keyof TextRequests ? TextRequests[Name]
  : Method<Name> extends (...input: infer Input) => unknown ? Exclude<Input[0], undefined>
  : void

export type Response<Name extends OperationName> = HttpApiEndpoint.Success<Endpoint<Name>>["Type"]

type Returned<Method> = Method extends (...input: never) => infer Result ? Result : Method

export type Failure<Name extends OperationName> = Returned<Method<Name>> extends
  Effect.Effect<unknown, infer Error extends { readonly _tag: string }, unknown> ? Error : never

type Part<S extends { readonly Type: unknown }> = [S["Type"]] extends [never] ? unknown : S["Type"]

/** Path, query and body of a request in one object. */
type Derived<Name extends OperationName> =
  & Part<HttpApiEndpoint.Params<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Query<Endpoint<Name>>>
  & Part<HttpApiEndpoint.Payload<Endpoint<Name>>>

/** Errors that every operation can have. */
type Usual = "CircuitOpen" | "ConnectionFailed" | "DeadlineExceeded" | "InvalidInput" | "UnexpectedResponse"

/** Errors after a lost response. */
type Lost = "AttemptTimeout" | "ConnectionLost" | "OutcomeUnknown"

type Other<Name extends OperationName> = Exclude<Extract<Failure<Name>["_tag"], keyof typeof CallError>, Lost | Usual>

/** Facts about an operation that the contract does not state. */
export interface Rules<Name extends OperationName> {
  /** Changes to the contract's fields. */
  readonly fields?: Fields
  readonly request?: (fields: Arbitrary.Arbitrary<Derived<Name>>) => Arbitrary.Arbitrary<Request<Name>>
  /** Changes fields that the request's languages do not support. */
  readonly fitting?: (request: Request<Name>) => Request<Name>
  /**
   * Objects with the ids that the request requires. For a request that requires no id: alternative fields that refer to
   * an object, or `{}` for no reference.
   */
  readonly existing?: (state: ServiceState) => ReadonlyArray<object>
  /** Restricts responses to responses that the service can return. */
  readonly response?: (derived: Arbitrary.Arbitrary<Response<Name>>) => Arbitrary.Arbitrary<Response<Name>>
  readonly errors?: Readonly<Record<Other<Name>, true>>
}

/** Requires `request` unless {@link Derived} is a request, and `errors` if the operation has {@link Other} errors. */
type Needed<Name extends OperationName> =
  & (Request<Name> extends void ? unknown
    : Derived<Name> extends Request<Name> ? unknown
    : Required<Pick<Rules<Name>, "request">>)
  & ([Other<Name>] extends [never] ? unknown : Required<Pick<Rules<Name>, "errors">>)

export type Table<Name extends OperationName> =
  & { readonly [N in Name as unknown extends Needed<N> ? never : N]: Rules<N> & Needed<N> }
  & { readonly [N in Name]?: Rules<N> }
