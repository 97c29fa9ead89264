import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Leaves from "./leaves.ts"
import * as Meanings from "./meanings.ts"

/** Changes to fields, keyed by field name: another schema, `null` to omit an optional field, or a list's length. */
export type Fields = Readonly<Record<string, Schema.Top | null | number>>

const leafOf = (ast: SchemaAST.AST, name: string): Schema.Top | undefined => {
  const check = ast.checks?.at(-1)
  const meaning = Meanings.byCheck.get(check) ?? Meanings.byCheck.get(ast)
  if (meaning !== undefined) return meaning
  switch (ast._tag) {
    case "String":
      return Meanings.strings[name] ??
        (check === Meanings.languageCode[0]
          ? Meanings.languageCode[1]
          : name.endsWith("Id") || name === "glossaryIds"
          ? Leaves.uuid
          : Leaves.text)
    case "Number":
      return Meanings.numbers[name] ?? Leaves.int(0, 10_000)
    case "Declaration":
      return ast.annotations === Schema.Duration.ast.annotations
        ? Leaves.duration
        : ast.annotations === Schema.DateTimeUtc.ast.annotations
        ? Leaves.time
        : undefined
    default:
      return undefined
  }
}

const withChecks = (schema: Schema.Top, { checks }: SchemaAST.AST): Schema.Top =>
  checks === undefined ? schema : schema.check(...checks)

/** Replaces the schemas of single values with schemas of realistic values. */
export const meaningful = (ast: SchemaAST.AST, name: string, others: Fields): Schema.Top => {
  const leaf = leafOf(ast, name)
  if (leaf !== undefined) return leaf
  if (SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0) {
    const fields = ast.propertySignatures.flatMap(({ name, type }) => {
      const key = String(name)
      const other = others[key]
      const isOptional = type.context?.isOptional === true
      if (Schema.isSchema(other)) return [[key, other] as const]
      if (other === null && isOptional) return []
      const field = meaningful(type, key, others)
      return [[key, isOptional ? Schema.optionalKey(field) : field] as const]
    })
    return withChecks(Schema.Struct(Object.fromEntries(fields)), ast)
  }
  if (SchemaAST.isObjects(ast) && ast.propertySignatures.length === 0) {
    const values = Schema.Union(ast.indexSignatures.map(({ type }) => meaningful(type, name, others)))
    const record = Schema.Record(Meanings.keys.get(name) ?? Meanings.anyKey, values)
    // Few keys, because many generated keys would collide.
    return withChecks(record.check(Schema.isMaxProperties(3)), ast)
  }
  if (SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest[0] !== undefined) {
    const items = Schema.Array(meaningful(ast.rest[0], name, others))
    const length = others[name]
    return withChecks(
      typeof length === "number"
        ? items.check(Schema.isBetweenLength(length, length))
        : items.check(Schema.isBetweenLength(Meanings.filled.has(name) ? 1 : 0, Meanings.lengths[name] ?? 10)),
      ast
    )
  }
  if (SchemaAST.isDeclaration(ast) && ast.typeParameters.length > 0) {
    const parameters = ast.typeParameters.map((type) =>
      meaningful(Schema.toType(Schema.make(type)).ast, name, others).ast
    )
    return withChecks(Schema.make(new SchemaAST.Declaration(parameters, ast.run, ast.annotations)), ast)
  }
  if (SchemaAST.isUnion(ast)) {
    return withChecks(Schema.Union(ast.types.map((type) => meaningful(type, name, others))), ast)
  }
  return Schema.make(ast)
}

export const derive = <S extends Schema.Constraint>(schema: S, fields: Fields = {}): Arbitrary.Arbitrary<S["Type"]> =>
  Arbitrary.filter(Arbitrary.schema(meaningful(Schema.toType(schema).ast, "", fields)), Schema.is(schema))

/** Generates decoded responses, where omitted fields have their defaults. */
export const answerOf = <A, E>(schema: Schema.Codec<A, E>, fields?: Fields): Arbitrary.Arbitrary<A> => {
  const read = Schema.decodeSync(schema)
  const write = Schema.encodeSync(schema)
  return Arbitrary.map(derive(schema, fields), (value) => read(write(value)))
}
