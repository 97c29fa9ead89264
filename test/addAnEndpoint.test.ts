// Every operation has the parts that CONTRIBUTING.md names in "Add an endpoint", where the page says that they are.
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { globSync, readdirSync, readFileSync } from "node:fs"

const page =
  readFileSync("CONTRIBUTING.md", "utf8").split(/^## /m).find((part) => part.startsWith("Add an endpoint")) ?? ""

/** The places of the page by the names of its steps. */
const places = new Map(
  Array.from(page.matchAll(/^\| \d\. (\w+) +\| `([^`]+)` +\|/gm), ([, step = "", place = ""]) => [step, place] as const)
)

const operations: Array<{ readonly group: string; readonly endpoint: string }> = []
HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    operations.push({ group: group.identifier, endpoint: endpoint.identifier })
  }
})

/** The room of a group is the folder of its contract. */
const roomOf = (group: string): string =>
  globSync(`packages/core/src/*/${group}Api.ts`)[0]?.split("/").at(-2) ?? assert.fail(`no contract of ${group}`)

const sources = new Map<string, string>()

const read = (pattern: string): string =>
  globSync(pattern).map((file) => {
    const source = sources.get(file) ?? readFileSync(file, "utf8")
    sources.set(file, source)
    return source
  }).join("\n")

/** The beginning of each part of an operation. */
const parts: Readonly<Record<string, (group: string, endpoint: string) => RegExp>> = {
  Contract: (_, endpoint) => new RegExp(`\\(\\s*"${endpoint}"`),
  Service: (_, endpoint) => new RegExp(`\\b${endpoint}\\b`),
  Fake: (group, endpoint) => new RegExp(`"${group}",[\\s\\S]*(\\b${endpoint}: |"${endpoint}",)`),
  Generators: (group, endpoint) => new RegExp(`"${group}\\.${endpoint}": \\{`),
  Conformance: () => /[cC]heck\(/,
  Sample: (group, endpoint) => new RegExp(`"${group}\\.${endpoint}": \\{`),
  Wire: (group, endpoint) => new RegExp(`operation: "${group}\\.${endpoint}"`)
}

describe("the parts of an operation", () => {
  it("are those of the page", () => {
    assert.deepStrictEqual(Array.from(places.keys()), Object.keys(parts))
  })

  it("stand in rooms that the page names, and that are those of the contract", () => {
    const rooms = Array.from(new Set(operations.map(({ group }) => roomOf(group)))).toSorted()
    const named = page.slice(0, page.indexOf("Its parts")).matchAll(/`([a-z-]+)`/g)
    assert.deepStrictEqual(Array.from(named, ([, room]) => room), rooms)
    for (const folder of ["fake", "conformance"]) {
      const found = readdirSync(`packages/testing/src/${folder}/internal`, { withFileTypes: true })
      assert.deepStrictEqual(found.filter((entry) => entry.isDirectory()).map(({ name }) => name).toSorted(), rooms)
    }
  })

  for (const { endpoint, group } of operations) {
    it(`are all there: ${group}.${endpoint}`, () => {
      for (const [step, place] of places) {
        const pattern = place.replace("<room>", roomOf(group)).replace("<Group>", group)
        assert.isTrue(parts[step]?.(group, endpoint).test(read(pattern)), `${step}: ${pattern}`)
      }
    })
  }
})
