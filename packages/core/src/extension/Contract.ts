/**
 * Builds the contract of a resource. `httpGroup` makes a group of Effect's `HttpApi`, for `LanguageServiceApi.add` and for a fake service. May change
 * with each minor version.
 *
 * @since 0.3.0
 */
export { httpGroup } from "../call/internal/httpApi.ts"
export { type Body, body, form, struct, withStatus } from "../contract/internal/body.ts"
export * as Endpoint from "../contract/internal/endpoint.ts"
export { listForm } from "../contract/internal/listForm.ts"
export * as Fields from "../contract/internal/schema.ts"
export * as Errors from "../errors/internal/codecs.ts"
