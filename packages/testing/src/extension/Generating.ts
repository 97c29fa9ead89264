/**
 * What the generators of a resource are made of: values that the schemas of its contract describe, with the meaning of their names.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export { answerOf, changes, derive, joined, params } from "../generators/internal/derive.ts"
export * as Leaves from "../generators/internal/leaves.ts"
export {
  type Breach,
  limits,
  more,
  type Records,
  termOf,
  tooLong,
  tooMany,
  within
} from "../generators/internal/record.ts"
export { make, type OperationGenerators } from "../generators/internal/records.ts"
