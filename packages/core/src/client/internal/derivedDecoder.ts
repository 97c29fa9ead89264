/**
 * Decoders that are derived from the schemas of responses. They take a body of many texts in a tenth of the time of the interpreter
 * of schemas, which makes each struct three times for its renamed keys and an effect for each field. A derived decoder knows the
 * structs, lists and optional fields of this contract, and returns the value of the interpreter or `unsure`: then the interpreter
 * decides, so all errors are its own.
 */
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The result of a derived decoder for a value that the interpreter has to decode. */
export const unsure = Symbol("unsure")

/** Decodes JSON; an absent field is `undefined`. */
export type Decoder = (sent: unknown) => unknown

/** Derives the decoder of a schema with a transformation of this contract. */
type Form = (type: SchemaAST.AST) => Decoder | undefined

const forms = new WeakMap<object, Form>()

/** Declares the form of the schemas whose last step is a transformation. */
export const declareForm = <T extends SchemaAST.Link["transformation"]>(transformation: T, form: Form): T => {
  forms.set(transformation.decode, form)
  return transformation
}

/** True for a schema whose values are equal on the wire, and are not copied. */
export const isPlain = (ast: SchemaAST.AST): boolean =>
  ast.encoding === undefined &&
  (/^(String|Number|Boolean|Literal|Null)$/.test(ast._tag) || (SchemaAST.isUnion(ast) && ast.types.every(isPlain)))

const plain = (ast: SchemaAST.AST): Decoder => {
  // The guard of a schema takes longer than the check of a type.
  const type = ast.checks === undefined && /^(String|Boolean)$/.test(ast._tag) ? ast._tag.toLowerCase() : undefined
  const is = type === undefined ? Schema.is(Schema.make(ast)) : (sent: unknown) => typeof sent === type
  return (sent) => sent === undefined || is(sent) ? sent : unsure
}

const listOf = (item: Decoder): Decoder => (sent) => {
  if (!Array.isArray(sent)) return unsure
  const list: Array<unknown> = []
  for (const value of sent) {
    const decoded = item(value)
    if (decoded === unsure || decoded === undefined) return unsure
    list.push(decoded)
  }
  return list
}

/** Derives the decoder of a struct with such names on the wire. */
export const structOf = (ast: SchemaAST.AST, wireNames: Readonly<Record<string, string>>): Decoder | undefined => {
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0 || ast.checks !== undefined) return undefined
  const fields: Array<{ name: string; wireName: string; decode: Decoder; isOptional: boolean }> = []
  for (const { name, type } of ast.propertySignatures) {
    const decode = derive(type)
    if (decode === undefined || typeof name !== "string") return undefined
    fields.push({ name, wireName: wireNames[name] ?? name, decode, isOptional: SchemaAST.isOptional(type) })
  }
  return (sent) => {
    if (!isObject(sent)) return unsure
    const value: Record<string, unknown> = {}
    for (const { decode, isOptional, name, wireName } of fields) {
      const field = decode(sent[wireName])
      if (field === unsure) return unsure
      if (field !== undefined) value[name] = field
      else if (!isOptional) return unsure
    }
    return value
  }
}

/** Derives the decoder of a transformation by a function, whose results have no excess fields. */
const transformed = (ast: SchemaAST.AST, { to, transformation }: SchemaAST.Link): Decoder | undefined => {
  const getter = transformation._tag === "Transformation" ? transformation.decode : undefined
  const from = getter?._tag === "Transform" ? derive(to) : undefined
  if (getter?._tag !== "Transform" || from === undefined) return undefined
  const is = Schema.is(Schema.make(SchemaAST.toType(ast)))
  return (sent) => {
    const given = from(sent)
    const value: unknown = given === unsure ? unsure : getter.transform(given)
    return is(value) ? value : unsure
  }
}

/** Derives the decoder of a schema, if it consists of known forms. */
export const derive = (ast: SchemaAST.AST): Decoder | undefined => {
  const [link, ...others] = ast.encoding ?? []
  if (link !== undefined) {
    return others.length > 0 ? undefined : forms.get(link.transformation.decode)?.(ast) ?? transformed(ast, link)
  }
  if (SchemaAST.isArrays(ast) && ast.checks === undefined && ast.elements.length === 0) {
    const [item] = ast.rest.map(derive)
    return item && listOf(item)
  }
  return isPlain(ast) ? plain(ast) : structOf(ast, {})
}
