/** Refuses unknown options of untyped callers, which a request would omit silently. */
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import type { Endpoint, Group as AnyGroup } from "../../contract/internal/endpoint.ts"
import { alternatives } from "../../contract/internal/schema.ts"
import { once } from "../../contract/internal/values.ts"
import { misspeltId, unknownName } from "../../errors/internal/checks.ts"
import { fieldsOf, type Names, type RequestNames, runs } from "./operation.ts"

type OptionNames<Method> = Method extends (...input: infer Input) => unknown ? Names<NonNullable<Input[0]>>
  : never

type IsSame<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false

/** The option names of methods whose options differ from the request's fields. `false` accepts any name. */
type Lists<Group extends AnyGroup, Methods> = {
  readonly [
    Name in keyof Methods & string as [OptionNames<Methods[Name]>] extends [never] ? never
      : IsSame<OptionNames<Methods[Name]>, RequestNames<Group, Name>> extends true ? never
      : Name
  ]: false | Readonly<Record<OptionNames<Methods[Name]>, true>>
}

const requestFields = ({ params, payload, query }: Endpoint): ReadonlyArray<string> =>
  [params, query, payload[0]?.schema].flatMap(fieldsOf)

const namesIn = (asts: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<string> =>
  asts.flatMap(alternatives).flatMap((ast) =>
    SchemaAST.isArrays(ast)
      ? namesIn([...ast.elements, ...ast.rest])
      : SchemaAST.isObjects(ast)
      ? ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...namesIn([type])])
      : []
  )

const hasId = (options: object): boolean =>
  Object.entries(options).some(([name, value]) => value !== undefined && name.endsWith("Id"))

/** Makes the methods of a group's service refuse unknown options. */
export const withKnownOptions = <Group extends AnyGroup, Methods extends object>(
  group: Group,
  methods: Methods,
  lists: Lists<Group, Methods>
) =>
  Effect.map(runs, ({ call }): Methods => {
    // Response fields are allowed, because callers may spread a response: `create({ ...list, name })`.
    const ofResponses = once(() =>
      new Set(
        namesIn(group.endpoints.flatMap(({ success }) => success.map(({ schema }) => SchemaAST.toType(schema.ast))))
      )
    )
    const checkOf = (names: ReadonlyArray<string>) =>
      names.length > 0 && names.every((name) => /(?:Id|Key|signedUrl)$/.test(name))
        ? (options: object) => misspeltId(options, names)
        : (options: object) => unknownName(options, names, hasId(options) ? ofResponses : undefined)
    const listed: ReadonlyMap<string, false | object> = new Map(Object.entries(lists))
    const checked = Object.entries(methods).flatMap(([name, method]) => {
      const list = listed.get(name)
      if (list === false || typeof method !== "function") return []
      const check = once(() => {
        const endpoint = group.endpoints.find(({ identifier }) => identifier === name)
        return checkOf(list !== undefined ? Object.keys(list) : endpoint === undefined ? [] : requestFields(endpoint))
      })
      const withOptions = (...input: ReadonlyArray<unknown>): unknown => {
        const [options] = input
        const refusal = isObject(options) ? check()(options) : undefined
        const result: unknown = Reflect.apply(method, methods, input)
        if (refusal === undefined) return result
        const refused = call(`${group.identifier}.${name}`, () => refusal)
        return Stream.isStream(result) ? Stream.fromEffect(refused) : refused
      }
      return [[name, withOptions]]
    })
    return Object.assign<{}, Methods, Readonly<Record<string, unknown>>>({}, methods, Object.fromEntries(checked))
  })
