/**
 * A problem of an entry of a glossary or of spoken terms, and its place.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { opaque } from "../contract/internal/body.ts"

/**
 * A rule that entries of a glossary or spoken terms break. `line` and `column` count from 1 in a text, columns in UTF-16 units as in
 * editors; `entry` counts from 1 in a map or a list. `term` is its side of the entry, if it is about one. `reason` never has the term
 * itself.
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
