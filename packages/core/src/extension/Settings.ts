/**
 * Rules for an extension's settings. May change with each minor version.
 *
 * @since 0.3.0
 */
export { InvalidConfiguration, usable } from "../config/internal/invalidConfiguration.ts"
export * as Rules from "../config/internal/options.ts"
