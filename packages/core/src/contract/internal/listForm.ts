/** Bodies with lists of objects as forms, whose fields have names such as `dictionaries[0].entries`. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

type Fields = Readonly<Record<string, string>>

/** An encoded body: texts, and lists of objects of texts. */
type Encoded = Readonly<Record<string, string | ReadonlyArray<Fields>>>

const itemField = /^(\w+)\[(\d+)\]\.(\w+)$/

const decode = (form: Fields): Encoded => {
  const texts = new Map<string, string>()
  const lists = new Map<string, Map<string, Fields>>()
  for (const [field, value] of Object.entries(form)) {
    const [, list, index, key] = itemField.exec(field) ?? []
    if (list === undefined || index === undefined || key === undefined) {
      texts.set(field, value)
    } else {
      const items = lists.get(list) ?? new Map<string, Fields>()
      lists.set(list, items.set(index, { ...items.get(index), [key]: value }))
    }
  }
  return Object.fromEntries<string | ReadonlyArray<Fields>>([
    ...texts,
    ...Array.from(lists, ([list, items]) => [list, Array.from(items.values())] as const)
  ])
}

const encode = (body: Encoded): Fields =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === "string"
        ? [[name, value] as const]
        : value.flatMap((item, index) =>
          Object.entries(item).map(([key, text]) => [`${name}[${index}].${key}`, text] as const)
        )
    )
  )

/** The schema of a body as the fields of a form. */
export const listForm = <T>(schema: Schema.Codec<T, Encoded>) =>
  Schema.Record(Schema.String, Schema.String).pipe(
    Schema.decodeTo(schema, SchemaTransformation.transform<Encoded, Fields>({ decode, encode }))
  )
