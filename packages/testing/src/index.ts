/**
 * A fake of the Language Service API for tests.
 *
 * @since 0.1.0
 */

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
 * Faults by chance.
 *
 * @since 0.1.0
 */
export * as Weather from "./Weather.ts"

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
 * The model of style rule lists.
 *
 * @since 0.2.0
 */
export * as StyleRulesModel from "./StyleRulesModel.ts"

/**
 * The model of documents.
 *
 * @since 0.2.0
 */
export * as DocumentsModel from "./DocumentsModel.ts"
