/**
 * A fake of the Language Service API, and what tests need around it.
 *
 * @since 0.1.0
 */

/**
 * Checks for any host of the service, the fake included.
 *
 * @since 0.2.0
 */
export * as Conformance from "./Conformance.ts"

/**
 * The control endpoint of a fake on a socket.
 *
 * @since 0.2.0
 */
export * as ControlApi from "./ControlApi.ts"

/**
 * How the fake answers where descriptions of the service differ.
 *
 * @since 0.2.0
 */
export * as Dialect from "./Dialect.ts"

/**
 * The model of documents.
 *
 * @since 0.2.0
 */
export * as DocumentsModel from "./DocumentsModel.ts"

/**
 * Assertions on what the fake saw.
 *
 * @since 0.2.0
 */
export * as FakeAssert from "./FakeAssert.ts"

/**
 * The fake, its handle and its layers.
 *
 * @since 0.1.0
 */
export * as FakeLanguageService from "./FakeLanguageService.ts"

/**
 * Faults as data.
 *
 * @since 0.1.0
 */
export * as Fault from "./Fault.ts"

/**
 * Generators of everything that the contract speaks of.
 *
 * @since 0.2.0
 */
export * as Generators from "./Generators.ts"

/**
 * Model-based tests.
 *
 * @since 0.2.0
 */
export * as ModelBased from "./ModelBased.ts"

/**
 * Requests that the fake received.
 *
 * @since 0.2.0
 */
export * as RecordedRequest from "./RecordedRequest.ts"

/**
 * Record and replay.
 *
 * @since 0.2.0
 */
export * as Recording from "./Recording.ts"

/**
 * The handle of a fake in another process.
 *
 * @since 0.2.0
 */
export * as RemoteFakeLanguageService from "./RemoteFakeLanguageService.ts"

/**
 * Which calls meet which fault.
 *
 * @since 0.2.0
 */
export * as Script from "./Script.ts"

/**
 * The model of style rule lists.
 *
 * @since 0.2.0
 */
export * as StyleRulesModel from "./StyleRulesModel.ts"

/**
 * Faults by chance.
 *
 * @since 0.1.0
 */
export * as Weather from "./Weather.ts"
