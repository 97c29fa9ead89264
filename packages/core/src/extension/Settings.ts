/**
 * Rules for the settings of an extension, with the errors that the settings of the client have.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export { InvalidConfiguration, usable } from "../config/internal/invalidConfiguration.ts"
export * as Rules from "../config/internal/options.ts"
