// Every operation has the parts that CONTRIBUTING.md names in "Add an endpoint", each in the place that the page names.
import * as Conformance from "@effect-lingua/conformance/Conformance"
import * as Dialect from "@effect-lingua/testing/fake/Dialect"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { globSync, readdirSync, readFileSync } from "node:fs"
import { parseSync } from "oxc-parser"
import { contract } from "../packages/core/test/support/operations.ts"

const page =
  readFileSync(".github/CONTRIBUTING.md", "utf8").split(/^## /m).find((part) => part.startsWith("Add an endpoint")) ??
    ""

/** The places of the page by the names of its steps. */
const places = new Map(
  Array.from(page.matchAll(/^\| \d\. (\w+) +\| `([^`]+)` +\|/gm), ([, step = "", place = ""]) => [step, place] as const)
)

const operations = contract.map(({ endpoint, group }) => ({
  group: group.identifier,
  endpoint: endpoint.identifier,
  /** The endpoints of its group. */
  siblings: Object.keys(group.endpoints)
}))

type Operation = typeof operations[number]

const camelCase = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

/** The group whose file has the contract of a group: version 2 stands beside the present one. */
const contractOf = (group: string) => group.replace(/V2$/, "")

/** The room of a group is the one with its contract. */
const roomOf = (group: string): string =>
  globSync(`packages/core/src/*/internal/${camelCase(contractOf(group))}Api.ts`)[0]?.split("/").at(-3) ??
    assert.fail(`no contract of ${group}`)

type Value = string | number | boolean | null | undefined | Node | ReadonlyArray<Node>

/** A node of a syntax tree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: Value
}

interface Source {
  readonly text: string
  readonly nodes: ReadonlyArray<Node>
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

const within = (node: Node): ReadonlyArray<Node> => [
  node,
  ...Object.values(node).flat().filter(isNode).flatMap(within)
]

const sources = new Map<string, Source>()

const sourceOf = (file: string): Source => {
  const known = sources.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, "utf8")
  const program: unknown = parseSync(file, text).program
  const source = { text, nodes: isNode(program) ? within(program) : [] }
  sources.set(file, source)
  return source
}

const field = (value: Value, name: string): Value => isNode(value) ? value[name] : undefined

/** The name of an identifier or of a member, or the value of a literal. */
const nameOf = (value: Value): string | undefined => {
  const name = field(value, "name") ?? field(value, "value")
  return typeof name === "string" ? name : isNode(value) ? nameOf(field(value, "property")) : undefined
}

const itemsOf = (value: Value): ReadonlyArray<Node> => Array.isArray(value) ? value : []

const isProperty = (node: Node, name: string): boolean => node.type === "Property" && nameOf(node["key"]) === name

const isCall = (node: Node, callee: RegExp, first: string): boolean =>
  node.type === "CallExpression" && nameOf(itemsOf(node["arguments"])[0]) === first &&
  callee.test(nameOf(node["callee"]) ?? nameOf(field(node["callee"], "property")) ?? "")

/** The checks that call an operation. */
const checksOf = new Map<string, ReadonlyArray<string>>()

/** Finds each part of an operation in a file. */
const parts: Readonly<Record<string, (nodes: ReadonlyArray<Node>, operation: Operation) => ReadonlyArray<Node>>> = {
  Contract: (nodes, { endpoint }) => nodes.filter((node) => isCall(node, /^(get|post|put|patch|delete)$/, endpoint)),
  // The methods are in one object, with those of the other endpoints.
  Service: (nodes, { endpoint, siblings }) =>
    nodes.filter((node) =>
      node.type === "ObjectExpression" &&
      siblings.every((sibling) => itemsOf(node["properties"]).some((property) => isProperty(property, sibling)))
    ).flatMap((node) => itemsOf(node["properties"]).filter((property) => isProperty(property, endpoint))),
  Fake: (nodes, { endpoint, group }) =>
    nodes.filter((node) => isCall(node, /^(?:group|make)$/, group)).flatMap(within)
      .filter((node) => isCall(node, /^handle/, endpoint) || isProperty(node, endpoint)),
  Conformance: (nodes, { endpoint, group }) =>
    (checksOf.get(`${group}.${endpoint}`) ?? []).flatMap((name) =>
      nodes.filter((node) => isCall(node, /check$/i, name))
    ),
  Wire: (nodes, { endpoint, group }) => nodes.filter((node) => isProperty(node, `${group}.${endpoint}`))
}

/** The steps after which an operation works against the fake; the others are for the tests. */
const first = ["Contract", "Service", "Fake", "Conformance"]

/** The smallest part of a step, with its file. */
const partOf = (operation: Operation, step: string) => {
  const { group } = operation
  const pattern = (places.get(step) ?? "").replace("<room>", roomOf(group)).replace("<Group>", group)
    .replace("<group>", camelCase(step === "Contract" ? contractOf(group) : group))
  const found = globSync(pattern).flatMap((file) => {
    const { nodes, text } = sourceOf(file)
    return (parts[step]?.(nodes, operation) ?? []).map(({ end, start }) => ({
      file,
      lines: text.slice(start, end).split("\n").length
    }))
  })
  return found.toSorted((one, other) => one.lines - other.lines)[0] ?? assert.fail(`${step}: nothing in ${pattern}`)
}

describe("the parts of an operation", () => {
  it("are those of the page", () => {
    assert.deepStrictEqual(Array.from(places.keys()), Object.keys(parts))
    assert.deepStrictEqual(Array.from(places.keys()).slice(0, first.length), first)
    assert.include(page, "After step 4 `check`, `lint` and `conformance --fake` pass")
  })

  it("stand in rooms that the page names, and that are those of the contract", () => {
    const rooms = Array.from(new Set(operations.map(({ group }) => roomOf(group)))).toSorted()
    const named = page.slice(0, page.indexOf("Its parts")).matchAll(/`([a-z-]+)`/g)
    assert.deepStrictEqual(Array.from(named, ([, room]) => room), rooms)
    // What the fake does with every request, resources from outside, and its pages for browsers, belong to no room.
    for (
      const [folder, others] of [
        ["packages/testing/src/fake", ["outside", "requests", "site"]],
        ["extensions/conformance/src", []]
      ] as const
    ) {
      const found = readdirSync(`${folder}/internal`, { withFileTypes: true })
      const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name)
      assert.deepStrictEqual(folders.toSorted(), [...rooms, ...others].toSorted())
    }
  })

  it.effect("are all there, each in a file of its room, within 100 lines", () =>
    Effect.gen(function*() {
      // Each state has checks that the other has not.
      const reports = yield* Effect.forEach(Dialect.states, (state) =>
        Conformance.run({ checks: Conformance.checksOf(state) }).pipe(
          Effect.provide(Conformance.layerFake({ advance: TestClock.adjust, dialect: Dialect.ofState[state] }))
        ))
      const passed = reports.flatMap(({ passed }) =>
        passed
      )
      for (const { check, operations } of passed) {
        for (const name of operations) checksOf.set(name, [...checksOf.get(name) ?? [], check.name])
      }
      for (const operation of operations) {
        const name = `${operation.group}.${operation.endpoint}`
        const files = Array.from(places.keys(), (step) => partOf(operation, step).file)
        assert.strictEqual(new Set(files).size, places.size, `${name}: each part in a file of its own`)
        const lines = first.reduce((sum, step) => sum + partOf(operation, step).lines, 0)
        assert.isAtMost(lines, 100, `${name}: the lines of its first ${first.length} parts`)
      }
    }))
})
