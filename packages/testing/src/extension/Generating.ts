/**
 * What the generators of a resource are made of: values that the schemas of its contract describe, with the meaning of their names.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export type { Table } from "../generators/internal/contract.ts"
export * as Leaves from "../generators/internal/leaves.ts"
export { make, type OperationGenerators } from "../generators/internal/operations.ts"
