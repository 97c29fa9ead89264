/**
 * Makes generators for the API group of an extension. This API may change with each minor version.
 *
 * @since 0.3.0
 */
export type { Table } from "../generators/internal/contract.ts"
export * as Leaves from "../generators/internal/leaves.ts"
export { make, type OperationGenerators } from "../generators/internal/operations.ts"
