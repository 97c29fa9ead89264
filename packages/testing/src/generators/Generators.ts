/**
 * Generators of requests, responses, errors and states of the contract, for property tests with `it.effect.prop` of
 * `@effect/vitest` or `Arbitrary.checkEffect`.
 *
 * **Details**
 *
 * Shapes are derived from the contract's schemas. Values are realistic: languages exist, texts are sentences in many
 * languages and scripts. Texts shrink to fewer words, choices to the first choice.
 *
 * @since 0.1.0
 */
import type { OperationName } from "@effect-lingua/core/LanguageServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import type * as Schema from "effect/Schema"
import type { FakeLanguageService } from "../fake/FakeLanguageService.ts"
import type { Fault } from "../faults/Fault.ts"
import type { Script } from "../faults/Script.ts"
import type { Weather } from "../faults/Weather.ts"
import type { Failure, Request, Response } from "./internal/contract.ts"
import * as Leaves from "./internal/leaves.ts"
import { ofContract } from "./internal/operations.ts"
import { languagePair } from "./internal/rules.ts"
import * as States from "./internal/states.ts"

/**
 * Types of an operation: `Request` is the method's input, `Response` the decoded body of a successful response,
 * `Failure` the method's errors.
 *
 * @category models
 * @since 0.1.0
 */
export type { Failure, Request, Response }

/**
 * An Effect `Arbitrary`, which is not compatible with fast-check's type of the same name.
 *
 * @category models
 * @since 0.3.0
 */
export interface EffectArbitrary<out A> extends Arbitrary.Arbitrary<A> {}

/**
 * Generates valid inputs of an operation's method: within the limits, with languages that support the input's features.
 *
 * **Details**
 *
 * With a fake's `state`, ids and matching languages are from existing objects, so the fake accepts the request. Without
 * `state`, required ids do not exist. Throws if the state has no object for the request.
 *
 * @category generators
 * @since 0.1.0
 */
export const request = <Name extends OperationName>(
  operation: Name,
  state?: FakeLanguageService.ServiceState
): EffectArbitrary<Request<Name>> => ofContract.request(operation, state)

/**
 * Generates decoded bodies of an operation's successful response.
 *
 * @category generators
 * @since 0.1.0
 */
export const response = <Name extends OperationName>(operation: Name): EffectArbitrary<Response<Name>> =>
  ofContract.response(operation)

/**
 * Generates responses that match a request: one result per text, at most `pageSize` entries.
 *
 * @category generators
 * @since 0.1.0
 */
export const responseTo = <Name extends OperationName>(
  operation: Name,
  request: Request<Name>
): EffectArbitrary<Response<Name>> => ofContract.responseTo(operation, request)

/**
 * Generates the errors of an operation's method, with attempts.
 *
 * @category generators
 * @since 0.1.0
 */
export const error: <Name extends OperationName>(operation: Name) => EffectArbitrary<Failure<Name>> = ofContract.error

/**
 * Generates values of a schema of the contract. The fake accepts generated request bodies, which contain no ids of other
 * resources.
 *
 * @category generators
 * @since 0.3.0
 */
export const schema: <A>(schema: Schema.Schema<A>) => EffectArbitrary<A> = ofContract.schema

/**
 * Generates texts in many languages. Unlike Effect's strings, the texts have no unpaired surrogates, which UTF-8 cannot
 * encode.
 *
 * @category generators
 * @since 0.3.0
 */
export const text: EffectArbitrary<string> = Arbitrary.schema(Leaves.text)

/**
 * Generates documents for the fake; some translations fail.
 *
 * @category generators
 * @since 0.1.0
 */
export const document: EffectArbitrary<FakeLanguageService.NewDocument> = States.document

/**
 * @category generators
 * @since 0.1.0
 */
export const styleRuleList: EffectArbitrary<FakeLanguageService.NewStyleRuleList> = request("StyleRules.create")

/**
 * @category generators
 * @since 0.1.0
 */
export const glossary: EffectArbitrary<FakeLanguageService.NewGlossary> = languagePair

/**
 * @category generators
 * @since 0.1.0
 */
export const translationMemory: EffectArbitrary<FakeLanguageService.NewTranslationMemory> = States.translationMemory

/**
 * Generates character quotas of which any part is used.
 *
 * @category generators
 * @since 0.1.0
 */
export const quota: EffectArbitrary<FakeLanguageService.Quota> = States.quota

/**
 * Generates faults that an operation (default: any) can have, except `Fault.altered`, which no client can notice.
 *
 * @category generators
 * @since 0.1.0
 */
export const fault: (operation?: OperationName) => EffectArbitrary<Fault> = States.fault

/**
 * Generates scripts with faults that their operations can have.
 *
 * @category generators
 * @since 0.1.0
 */
export const script: EffectArbitrary<Script> = States.script

/**
 * Generates weathers (rates of random faults) for one operation (default: any).
 *
 * @category generators
 * @since 0.1.0
 */
export const weather: (operation?: OperationName) => EffectArbitrary<Weather> = States.weather

/**
 * Generates options of a fake that accepts the default key.
 *
 * @category generators
 * @since 0.1.0
 */
export const options: EffectArbitrary<FakeLanguageService.Options> = States.options
