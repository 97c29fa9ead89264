/**
 * Problems in glossary entries and spoken terms.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { opaque } from "../contract/internal/body.ts"

/**
 * A broken rule in glossary entries or spoken terms. `line` and `column` (UTF-16 units) count from 1 in a text, `entry` from 1 in a
 * map or list. `term` is the side of the entry, if the problem concerns one side. `reason` never contains the term.
 *
 * @category schemas
 * @since 0.1.0
 */
export class EntryProblem extends opaque<EntryProblem>()(Schema.Struct({
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  entry: Schema.optionalKey(Schema.Int),
  term: Schema.optionalKey(Schema.Literals(["source", "target"])),
  reason: Schema.String
})) {}
