/**
 * Parts for a resource's generators: meaningful values for the schemas of its contract. May change with each minor
 * version.
 *
 * @since 0.3.0
 */
export type { Table } from "../generators/internal/contract.ts"
export * as Leaves from "../generators/internal/leaves.ts"
export { make, type OperationGenerators } from "../generators/internal/operations.ts"
