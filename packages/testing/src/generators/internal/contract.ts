/** The operations of the contract with their types: the method of the service, its input, its success and its errors. */
import type { Admin } from "@effect-lingua/core/account/Admin"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import type { DetectOptions } from "@effect-lingua/core/texts/Detection"
import type { TranslateOptions } from "@effect-lingua/core/texts/Translation"
import type { CorrectOptions, RephraseOptions } from "@effect-lingua/core/texts/Writing"
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import type { AddedGroups, AddedServices, OperationName } from "../../faults/Fault.ts"
import { operation } from "../../faults/internal/operations.ts"

type Groups = (typeof LanguageServiceApi)["groups"] & AddedGroups

/** The endpoint of an operation. */
export type Endpoint<Name extends OperationName> = Name extends `${infer Group extends keyof Groups}.${infer Key}`
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

/** No schema of the contract needs a service. */
const needsNothing = (schema: unknown): schema is Schema.Codec<unknown> => Schema.isSchema(schema)

/** The schema of the success of an operation. Absent for a response without a body, and for one that is a stream. */
export const successOf = (name: OperationName): Schema.Codec<unknown> | undefined => {
  const { successes } = operation(name)
  const [success] = successes.has(204) ? [] : [...successes.values()].flat()
  return needsNothing(success) ? success : undefined
}
