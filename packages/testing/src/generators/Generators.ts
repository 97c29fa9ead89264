/**
 * Generators of all parts of the contract for property tests: requests, responses, errors and states.
 *
 * **Details**
 *
 * The shapes come from the schemas of the contract, so that a field which is added there is generated too. Single values
 * have a meaning: ids look like ids, languages exist, texts are sentences of many languages and scripts, with emoji and
 * white space among them. Everything shrinks: texts to fewer words, lists to fewer items, choices to the first.
 *
 * Each generator is an `Arbitrary` of Effect, for `it.effect.prop` of `@effect/vitest` or `Arbitrary.checkEffect`.
 *
 * **Example** (Every valid request is accepted)
 *
 * ```ts import.meta.vitest
 * import { Detection } from "@effect-lingua/core/texts/Detection"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as Generators from "@effect-lingua/testing/generators/Generators"
 * import { Arbitrary, Effect } from "effect"
 *
 * const result = await Arbitrary.checkEffect(Generators.request("Detection.detect"), (request) =>
 *   Detection.use((detection) => detection.detect(request)).pipe(
 *     Effect.map((results) => results.length === request.text.length)
 *   )).pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * result._tag // => "Passed"
 * ```
 *
 * @since 0.1.0
 */
import type { OperationName } from "@effect-lingua/core/LanguageServiceApi"
import type * as Arbitrary from "effect/Arbitrary"
import type {
  NewDocument,
  NewGlossary,
  NewStyleRuleList,
  NewTranslationMemory,
  Options,
  Quota,
  ServiceState
} from "../fake/FakeLanguageService.ts"
import type { Fault } from "../faults/Fault.ts"
import type { Script } from "../faults/Script.ts"
import type { Weather } from "../faults/Weather.ts"
import type { Failure, Request, Response } from "./internal/contract.ts"
import { ofContract } from "./internal/operations.ts"
import { languagePair } from "./internal/rules.ts"
import * as States from "./internal/states.ts"

/**
 * The input of the method of an operation (`Request`), the decoded body of a successful response (`Response`), and the errors
 * of the method (`Failure`).
 *
 * @category models
 * @since 0.1.0
 */
export type { Failure, Request, Response }

/**
 * An `Arbitrary` of Effect, for `it.effect.prop` of `@effect/vitest` and for `Arbitrary.checkEffect`. It is none of fast-check, whose type has
 * the same name: `fc.property` does not take it, and those of `fc` do not go where this type is meant.
 *
 * @category models
 * @since 0.3.0
 */
export interface EffectArbitrary<out A> extends Arbitrary.Arbitrary<A> {}

/**
 * Generates inputs of the service method of an operation that are valid by the rules of the service: sizes within the
 * limits, a tone or a writing style, languages that exist and have the requested features.
 *
 * **Details**
 *
 * With the state of a fake the ids are those of existing objects, together with languages that fit them, and the fake accepts the
 * request as long as it is in this state and of one account. Without a state there are no optional ids, and required ones are well-formed,
 * but do not exist, so that the service responds with `NotFound`.
 *
 * Throws if the state has no object that the request can be about.
 *
 * **Example** (A request for one of the lists of a fake)
 *
 * ```ts import.meta.vitest
 * import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as Generators from "@effect-lingua/testing/generators/Generators"
 * import { Arbitrary, Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   yield* fake.addStyleRuleList({ name: "House style", language: "en" })
 *   const requests = Generators.request("StyleRules.get", yield* fake.state())
 *   return yield* Arbitrary.checkEffect(requests, (request) =>
 *     StyleRules.use((rules) => rules.get(request)).pipe(Effect.map(({ name }) => name === "House style")))
 * }).pipe(Effect.provide(FakeLanguageService.layerServices()))
 *
 * const result = await Effect.runPromise(program)
 * result._tag // => "Passed"
 * ```
 *
 * @category generators
 * @since 0.1.0
 */
export const request = <Name extends OperationName>(
  operation: Name,
  state?: ServiceState
): EffectArbitrary<Request<Name>> => ofContract.request(operation, state)

/**
 * Generates the decoded body of a successful response of an operation.
 *
 * @category generators
 * @since 0.1.0
 */
export const response = <Name extends OperationName>(operation: Name): EffectArbitrary<Response<Name>> =>
  ofContract.response(operation)

/**
 * Generates responses that match a request: one result for each text, the requested list, no more entries than the page
 * holds.
 *
 * @category generators
 * @since 0.1.0
 */
export const responseTo = <Name extends OperationName>(
  operation: Name,
  request: Request<Name>
): EffectArbitrary<Response<Name>> => ofContract.responseTo(operation, request)

/**
 * Generates every error that the service method of an operation can fail with, with its ledger of attempts: the errors of
 * the contract for this operation with their statuses, and the failures of a call.
 *
 * @category generators
 * @since 0.1.0
 */
export const error: <Name extends OperationName>(operation: Name) => EffectArbitrary<Failure<Name>> = ofContract.error

/**
 * Generates documents to be added to the fake: texts and bytes, of many types, soon ready and later, some that fail.
 *
 * @category generators
 * @since 0.1.0
 */
export const document: EffectArbitrary<NewDocument> = States.document

/**
 * Generates style rule lists to be added to the fake.
 *
 * @category generators
 * @since 0.1.0
 */
export const styleRuleList: EffectArbitrary<NewStyleRuleList> = request("StyleRules.create")

/**
 * Generates glossaries to be added to the fake.
 *
 * @category generators
 * @since 0.1.0
 */
export const glossary: EffectArbitrary<NewGlossary> = languagePair

/**
 * Generates translation memories to be added to the fake.
 *
 * @category generators
 * @since 0.1.0
 */
export const translationMemory: EffectArbitrary<NewTranslationMemory> = States.translationMemory

/**
 * Generates quotas of characters, used up to any part.
 *
 * @category generators
 * @since 0.1.0
 */
export const quota: EffectArbitrary<Quota> = States.quota

/**
 * Generates faults of each kind: those that an operation can have, with the statuses that the contract declares for it, or those of
 * any operation. Without `Fault.altered`, which no client can notice.
 *
 * @category generators
 * @since 0.1.0
 */
export const fault: (operation?: OperationName) => EffectArbitrary<Fault> = States.fault

/**
 * Generates entries of scripts, each with a fault that its operations can have.
 *
 * @category generators
 * @since 0.1.0
 */
export const script: EffectArbitrary<Script> = States.script

/**
 * Generates weathers: of one operation, with the faults that it can have, or of any.
 *
 * @category generators
 * @since 0.1.0
 */
export const weather: (operation?: OperationName) => EffectArbitrary<Weather> = States.weather

/**
 * Generates options of a fake. Its key is the default one, so that clients with it are let in.
 *
 * @category generators
 * @since 0.1.0
 */
export const options: EffectArbitrary<Options> = States.options
