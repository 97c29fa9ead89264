/** Generators derived from schemas: shapes follow the schemas, single values have a meaning. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Leaves from "./leaves.ts"
import * as Meanings from "./meanings.ts"

const leafOf = (ast: SchemaAST.AST, name: string): Schema.Top | undefined => {
  const check = ast.checks?.at(-1)
  const meaning = Meanings.byCheck.get(check)
  if (meaning !== undefined) return meaning
  const named = Meanings.byName.get(name)
  switch (ast._tag) {
    case "String":
      return named ??
        (check === Meanings.languageCode[0]
          ? Meanings.languageCode[1]
          : /^id$|Ids?$/.test(name)
          ? Leaves.uuid
          : Leaves.text)
    case "Number":
      return named ?? Leaves.int(0, 10_000)
    case "Declaration":
      return named ?? (ast.annotations === Schema.Duration.ast.annotations
        ? Leaves.duration
        : ast.annotations === Schema.DateTimeUtc.ast.annotations
        ? Leaves.time
        : undefined)
    default:
      return undefined
  }
}

const withChecks = (schema: Schema.Top, { checks }: SchemaAST.AST): Schema.Top =>
  checks === undefined ? schema : schema.check(...checks)

/** Replaces the schemas of single values by those of {@link Meanings}; the others stay. */
const meaningful = (ast: SchemaAST.AST, name: string): Schema.Top => {
  const leaf = leafOf(ast, name)
  if (leaf !== undefined) return leaf
  if (SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0) {
    const fields = ast.propertySignatures.map(({ name, type }) => {
      const field = meaningful(type, String(name))
      return [name, type.context?.isOptional === true ? Schema.optionalKey(field) : field] as const
    })
    return withChecks(Schema.Struct(Object.fromEntries(fields)), ast)
  }
  if (SchemaAST.isObjects(ast) && ast.propertySignatures.length === 0) {
    const values = Schema.Union(ast.indexSignatures.map(({ type }) => meaningful(type, name)))
    const record = Schema.Record(Meanings.keys.get(name) ?? Meanings.anyKey, values)
    // Few keys, so that they seldom collide.
    return withChecks(record.check(Schema.isMaxProperties(3)), ast)
  }
  if (SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest[0] !== undefined) {
    const items = Schema.Array(meaningful(ast.rest[0], name))
    return withChecks(items.check(Schema.isMaxLength(Meanings.lengths[name] ?? 10)), ast)
  }
  if (SchemaAST.isDeclaration(ast) && ast.typeParameters.length > 0) {
    const parameters = ast.typeParameters.map((type) => meaningful(Schema.toType(Schema.make(type)).ast, name).ast)
    return withChecks(Schema.make(new SchemaAST.Declaration(parameters, ast.run, ast.annotations)), ast)
  }
  if (SchemaAST.isUnion(ast)) return withChecks(Schema.Union(ast.types.map((type) => meaningful(type, name))), ast)
  return Schema.make(ast)
}

/** Generates the decoded values of a schema of the contract. */
export const derive = <S extends Schema.Constraint>(schema: S): Arbitrary.Arbitrary<S["Type"]> =>
  Arbitrary.filter(Arbitrary.schema(meaningful(Schema.toType(schema).ast, "")), Schema.is(schema))

/** Generates decoded responses as a client has them after reading: a field that the service left out has its default. */
export const answerOf = <A, E>(schema: Schema.Codec<A, E>): Arbitrary.Arbitrary<A> => {
  const read = Schema.decodeSync(schema)
  const write = Schema.encodeSync(schema)
  return Arbitrary.map(derive(schema), (value) => read(write(value)))
}

/** Generates the path of an endpoint. Its value has its schemas by their widest type; its type has the exact ones. */
export const params = <S extends Schema.Top>(
  { params }: { readonly "~types"?: { readonly params: S }; readonly params: Schema.Top | undefined }
): Arbitrary.Arbitrary<S["Type"]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is this schema
  derive(params as S)

/** Generates the query of an endpoint. */
export const query = <S extends Schema.Top>(
  { query }: { readonly "~types"?: { readonly query: S }; readonly query: Schema.Top | undefined }
): Arbitrary.Arbitrary<S["Type"]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is this schema
  derive(query as S)

/** Generates changes of an object: of its name, of other fields, or of both. */
export const changes = <Ref extends object, Name extends object, Fields extends object>(
  of: Arbitrary.Arbitrary<Ref>,
  named: Arbitrary.Arbitrary<Name>,
  others: Arbitrary.Arbitrary<Fields>
): Arbitrary.Arbitrary<Ref & Partial<Name> & Partial<Fields>> =>
  Arbitrary.map(
    Arbitrary.all({ of, named, others, change: Arbitrary.schema(Leaves.int(0, 2)) }),
    ({ change, named, of, others }) => ({
      ...of,
      ...(change === 1 ? undefined : named),
      ...(change === 0 ? undefined : others)
    })
  )

/** Generates two objects as one. */
export const joined = <A extends object, B extends object>(
  one: Arbitrary.Arbitrary<A>,
  other: Arbitrary.Arbitrary<B>
): Arbitrary.Arbitrary<A & B> => Arbitrary.map(Arbitrary.all([one, other]), ([one, other]) => ({ ...one, ...other }))
