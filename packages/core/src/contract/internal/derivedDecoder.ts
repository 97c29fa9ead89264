/**
 * Decoders derived from response schemas, and encoders from request schemas. Decoding many texts takes a tenth of the time of Effect's schema
 * interpreter. Derived functions support the structs, lists and optional fields of this contract, and return `unsure` for anything else. The
 * interpreter then decides and makes all errors.
 */
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export const unsure = Symbol("unsure")

/** Decodes from JSON or encodes to JSON; an absent field is `undefined`. */
export type Decoder = (sent: unknown) => unknown

type Direction = "decode" | "encode"

type Form = (type: SchemaAST.AST, direction: Direction) => Decoder | undefined

const forms = new WeakMap<object, Form>()

/** Declares how to derive decoders and encoders of schemas whose only encoding step is `transformation`. */
export const declareForm = <T extends SchemaAST.Link["transformation"]>(transformation: T, form: Form): T => {
  forms.set(transformation.decode, form)
  return transformation
}

const isPlain = (ast: SchemaAST.AST): boolean =>
  ast.encoding === undefined &&
  (/^(String|Number|Boolean|Literal|Null)$/.test(ast._tag) || (SchemaAST.isUnion(ast) && ast.types.every(isPlain)))

const noOptions: SchemaAST.ParseOptions = {}

const passes = (checks: SchemaAST.AST["checks"], ast: SchemaAST.AST, sent: unknown): boolean => {
  for (const check of checks ?? []) {
    const isPassed = check._tag === "Filter"
      ? check.run(sent, ast, noOptions) === undefined
      : passes(check.checks, ast, sent)
    if (!isPassed) return false
  }
  return true
}

const plain = (ast: SchemaAST.AST): Decoder => {
  // `typeof` is faster than `Schema.is`.
  if (/^(String|Number|Boolean)$/.test(ast._tag)) {
    const type = ast._tag.toLowerCase()
    return (sent) => sent === undefined || (typeof sent === type && passes(ast.checks, ast, sent)) ? sent : unsure
  }
  const is = Schema.is(Schema.make(ast))
  return (sent) => sent === undefined || is(sent) ? sent : unsure
}

const listOf = (item: Decoder): Decoder => (sent) => {
  if (sent === undefined) return undefined
  if (!Array.isArray(sent)) return unsure
  const list: Array<unknown> = []
  for (const value of sent) {
    const decoded = item(value)
    if (decoded === unsure || decoded === undefined) return unsure
    list.push(decoded)
  }
  return list
}

/** Derives the decoder or encoder of a struct. `wireNames` has the fields that are renamed on the wire. */
export const structOf = (
  ast: SchemaAST.AST,
  wireNames: Readonly<Record<string, string>>,
  direction: Direction
): Decoder | undefined => {
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0 || ast.checks !== undefined) return undefined
  const fields: Array<{ from: string; to: string; convert: Decoder; isOptional: boolean }> = []
  for (const { name, type } of ast.propertySignatures) {
    const convert = derive(type, direction)
    if (convert === undefined || typeof name !== "string") return undefined
    const wireName = wireNames[name] ?? name
    const [from, to] = direction === "decode" ? [wireName, name] : [name, wireName]
    fields.push({ from, to, convert, isOptional: SchemaAST.isOptional(type) })
  }
  return (sent) => {
    if (sent === undefined) return undefined
    if (!isObject(sent)) return unsure
    const value: Record<string, unknown> = {}
    // Encoding stops after the last field of the request. Decoding reads all fields, because an absent field may have a default.
    let left = direction === "encode" ? Object.keys(sent).length : Number.POSITIVE_INFINITY
    for (const { convert, from, isOptional, to } of fields) {
      if (left === 0 && isOptional) continue
      const sentValue = sent[from]
      if (Object.hasOwn(sent, from)) left--
      const field = convert(sentValue)
      if (field === unsure) return unsure
      if (field !== undefined) value[to] = field
      // The interpreter decides on missing fields and explicit `undefined`.
      else if (!isOptional || (sentValue === undefined && from in sent)) return unsure
    }
    return value
  }
}

/**
 * Derives the decoder of a lenient field, which returns `absent` for an absent field and calls `instead` for an unreadable value.
 */
export const lenient =
  (ast: SchemaAST.AST, absent: unknown, instead: (sent: unknown) => unknown): Form => (_, direction) => {
    const decode = direction === "decode" ? derive(ast) : undefined
    return decode && ((sent) => {
      if (sent === undefined) return absent
      const value = decode(sent)
      if (value !== unsure) return value
      return sent === null || isPlain(ast) ? instead(sent) : unsure
    })
  }

const transformed = (ast: SchemaAST.AST, { to, transformation }: SchemaAST.Link): Decoder | undefined => {
  const getter = transformation._tag === "Transformation" ? transformation.decode : undefined
  const from = getter?._tag === "Transform" ? derive(to) : undefined
  if (getter?._tag !== "Transform" || from === undefined) return undefined
  const is = Schema.is(Schema.make(SchemaAST.toType(ast)))
  return (sent) => {
    const decoded = from(sent)
    const value: unknown = decoded === unsure ? unsure : getter.transform(decoded)
    return is(value) ? value : unsure
  }
}

export const derive = (ast: SchemaAST.AST, direction: Direction = "decode"): Decoder | undefined => {
  const [link, ...others] = ast.encoding ?? []
  if (link !== undefined) {
    if (others.length > 0) return undefined
    return forms.get(link.transformation.decode)?.(ast, direction) ??
      (direction === "decode" ? transformed(ast, link) : undefined)
  }
  if (SchemaAST.isArrays(ast) && ast.checks === undefined && ast.elements.length === 0) {
    const [item] = ast.rest.map((rest) => derive(rest, direction))
    return item && listOf(item)
  }
  return isPlain(ast) ? plain(ast) : structOf(ast, {}, direction)
}

/** The derived encoder of a schema. The interpreter is the fallback. */
export const encoder = (schema: Schema.Top): (value: unknown) => Effect.Effect<unknown, Schema.SchemaError> => {
  const derived = derive(schema.ast, "encode")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no schema of the contract requires a service
  const interpret = Schema.encodeUnknownEffect(schema as Schema.Codec<unknown>)
  return (value) => {
    const json = derived?.(value) ?? unsure
    return json === unsure ? interpret(value) : Effect.succeed(json)
  }
}
