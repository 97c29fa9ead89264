import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "oxc-parser"

/** Modules outside of the barrel, because vitest is an optional peer. */
const apart = new Set(["Vitest"])

const packages = ["core", "node", "testing"].map((name) => {
  const source = `packages/${name}/src`
  const rooms = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "internal")
    .map((entry) => ({
      room: entry.name,
      modules: globSync("[A-Z]*.ts", { cwd: `${source}/${entry.name}` }).map((file) => file.replace(".ts", ""))
    }))
  return { name, source, rooms }
})

const lines = (file: string) => readFileSync(file, "utf8").trim().split("\n").toSorted()

describe("the rooms of the packages", () => {
  for (const { name, rooms, source } of packages) {
    it(`have barrels with all of their modules: ${name}`, () => {
      const open = rooms.filter(({ modules }) => modules.length > 0)
      for (const { modules, room } of open) {
        const expected = modules.map((module) => `export * as ${module} from "./${module}.ts"`)
        assert.deepStrictEqual(lines(`${source}/${room}/index.ts`), expected.toSorted(), room)
      }
      const top = globSync("[A-Z]*.ts", { cwd: source }).map((file) => file.replace(".ts", ""))
      const expected = [
        ...open.map(({ room }) => `export * from "./${room}/index.ts"`),
        ...top.filter((module) => !apart.has(module)).map((module) => `export * as ${module} from "./${module}.ts"`)
      ]
      assert.deepStrictEqual(lines(`${source}/index.ts`), expected.toSorted())
    })

    it(`have one entry each in the exports, and none for their internals: ${name}`, () => {
      const { exports, publishConfig } = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"))
      for (const [entries, folder, extension] of [[exports, "src", "ts"], [publishConfig.exports, "dist", "js"]]) {
        for (const { modules, room } of rooms) {
          assert.strictEqual(
            entries[`./${room}`],
            modules.length === 0 ? undefined : `./${folder}/${room}/index.${extension}`
          )
          if (existsSync(`${source}/${room}/internal`)) assert.isNull(entries[`./${room}/internal/*`], room)
        }
        assert.strictEqual(entries["./*"], `./${folder}/*.${extension}`)
        assert.isNull(entries["./*/index"])
        assert.deepStrictEqual(Object.keys(exports), Object.keys(publishConfig.exports))
      }
    })
  }
})

describe("the internals of a room", () => {
  it("are at most 20 files in one folder, so that a reader can look through their names", () => {
    const folders = Map.groupBy(globSync("packages/*/src/**/internal/**/*.ts"), (file) => dirname(file))
    const large = [...folders].filter(([, files]) => files.length > 20).map(([folder, files]) =>
      `${folder}: ${files.length}`
    )
    assert.deepStrictEqual(large, [])
  })
})

describe("the keys of services and references", () => {
  it("are package and path", () => {
    const keys = globSync("packages/*/src/**/*.ts").flatMap((file) => {
      const path = file.replace(/^packages\/(\w+)\/src\/(.*)\.ts$/, "@effect-lingua/$1/$2")
      return Array.from(
        readFileSync(file, "utf8").matchAll(/(?:Context\.|Middleware\.)[^"]*?\(\s*"(@effect-lingua\/[^"]+)"/g),
        ([, key = ""]) => ({ key, isOwn: key === path || key.startsWith(`${path}/`) })
      )
    })
    assert.isAbove(keys.length, 40)
    assert.deepStrictEqual(keys.filter(({ isOwn }) => !isOwn), [])
  })
})

describe("one machine for each job", () => {
  const sources = globSync("packages/*/src/**/*.ts")
  const withText = (pattern: RegExp) => sources.filter((file) => pattern.test(readFileSync(file, "utf8"))).toSorted()

  it("writes the journal of documents", () => {
    assert.deepStrictEqual(withText(/\bjournal\.(?:put|remove)\(/), [
      // The document of the demonstration, which no program uploads.
      "packages/cli/src/client/fake.ts",
      "packages/core/src/documents/internal/journalEntries.ts"
    ])
  })

  it("gives a file its final name", () => {
    assert.deepStrictEqual(withText(/\bfs\.rename\(/), [
      "packages/node/src/files/internal/replaceFile.ts"
    ])
  })

  it("begins the attempts of a call", () => {
    assert.deepStrictEqual(withText(/\bAttemptRun\.run\(/), ["packages/core/src/resilience/internal/resilience.ts"])
  })
})

/** The modules of this repository that a module imports values from. */
const importsOf = (file: string): ReadonlyArray<string> => {
  const { staticExports, staticImports } = parseSync(file, readFileSync(file, "utf8")).module
  const imports = staticImports.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value)
  const exports = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) => isType || moduleRequest === null ? [] : [moduleRequest.value])
  )
  return [...imports, ...exports].flatMap((name) => {
    const [, other, path] = /^@effect-lingua\/(\w+)\/(.+)$/.exec(name) ?? []
    if (other !== undefined) return [`packages/${other}/src/${path}.ts`]
    return name.startsWith(".") ? [join(file, "..", name)] : []
  })
}

describe("the path of a call", () => {
  it("from translate to the socket is in as many files as its modules import, and a new one has its reason", () => {
    const path = new Set([
      "packages/core/src/texts/Translation.ts",
      "packages/core/src/resilience/internal/resilience.ts",
      "packages/node/src/http/internal/undiciClient.ts"
    ])
    // A set visits what is added to it on the way.
    for (const file of path) for (const imported of importsOf(file)) path.add(imported)
    assert.isAtMost(path.size, 81, [...path].toSorted().join("\n"))
  })
})
