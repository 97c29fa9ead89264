/** Encodes lists of objects in forms, with fields such as `dictionaries[0].entries`. */
import { isString } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaTransformation from "effect/SchemaTransformation"

const Form = Schema.Record(Schema.String, Schema.String)

const fieldsOf = SchemaGetter.collectBracketPathEntries(isString)

/** Converts `[0][entries]`, which Effect writes, to `[0].entries`. Effect reads both. */
const dotted = (field: string): string => field.replace(/\[(\D\w*)\]/g, ".$1")

export const listForm = <T>(schema: Schema.Codec<T, object>) =>
  Form.pipe(Schema.decodeTo(
    schema,
    SchemaTransformation.transform<object, typeof Form.Type>({
      decode: (form) => SchemaGetter.makeTreeRecord(Object.entries(form)),
      encode: (body) => Object.fromEntries(fieldsOf(body).map(([field, text]) => [dotted(field), text]))
    })
  ))
