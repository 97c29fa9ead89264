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
 * The control endpoint of a fake on a socket.
 *
 * @since 0.2.0
 */
export * as ControlApi from "./ControlApi.ts"

/**
 * The handle of a fake in another process.
 *
 * @since 0.2.0
 */
export * as RemoteFakeLanguageService from "./RemoteFakeLanguageService.ts"
