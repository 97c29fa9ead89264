import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { parseSync } from "oxc-parser"

/** Modules outside of the barrel, because they need an optional peer: vitest, or the packages for tests. */
const apart = new Set(["Vitest", "FakeVoice", "VoiceChecks", "VoiceGenerators"])

const packages = globSync("{packages,extensions}/!(cli)/src").map((source) => {
  const folder = dirname(source)
  const name = basename(folder)
  const rooms = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "internal")
    .map((entry) => ({
      room: entry.name,
      modules: globSync("[A-Z]*.ts", { cwd: `${source}/${entry.name}` }).map((file) => file.replace(".ts", ""))
    }))
  return { name, folder, source, rooms }
})

const lines = (file: string) => readFileSync(file, "utf8").trim().split("\n").toSorted()

/** A service is exported by name, because a class merges its layers and types; any other module as a namespace. */
const exportOf = (folder: string, module: string) =>
  new RegExp(`^export class ${module}\\s+extends (?:Context\\.S|Operations\\.s)ervice`, "m").test(
      readFileSync(`${folder}/${module}.ts`, "utf8")
    )
    ? `export { ${module} } from "./${module}.ts"`
    : `export * as ${module} from "./${module}.ts"`

describe("the rooms of the packages", () => {
  for (const { folder: root, name, rooms, source } of packages) {
    it(`have barrels with all of their modules: ${name}`, () => {
      const open = rooms.filter(({ modules }) => modules.length > 0)
      for (const { modules, room } of open) {
        const expected = modules.map((module) => exportOf(`${source}/${room}`, module))
        assert.deepStrictEqual(lines(`${source}/${room}/index.ts`), expected.toSorted(), room)
      }
      const top = globSync("[A-Z]*.ts", { cwd: source }).map((file) => file.replace(".ts", ""))
      const expected = [
        ...open.map(({ room }) => `export * from "./${room}/index.ts"`),
        ...top.filter((module) => !apart.has(module)).map((module) => exportOf(source, module))
      ]
      assert.deepStrictEqual(lines(`${source}/index.ts`), expected.toSorted())
    })

    it(`have one entry each in the exports, and none for their internals: ${name}`, () => {
      const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))
      for (const { modules, room } of rooms) {
        assert.strictEqual(exports[`./${room}`], modules.length === 0 ? undefined : `./src/${room}/index.ts`)
        if (existsSync(`${source}/${room}/internal`)) assert.isNull(exports[`./${room}/internal/*`], room)
      }
      assert.strictEqual(exports["./*"], "./src/*.ts")
      if (rooms.length > 0) assert.isNull(exports["./*/index"])
    })
  }
})

const read = (file: string) => readFileSync(file, "utf8")

const published = (entries: object, folder: string) =>
  JSON.parse(JSON.stringify(entries).replaceAll("./src/", `./${folder}/`).replaceAll(".ts\"", ".js\""))

describe("the manifest of a package", () => {
  const { version } = JSON.parse(read("packages/core/package.json"))

  it.each(globSync("{packages,extensions}/*"))("has what npm and its users need: %s", (folder) => {
    const { bin = {}, exports, publishConfig, ...manifest } = JSON.parse(read(`${folder}/package.json`))
    const name = basename(folder)
    const built = name === "cli" ? ["bundle", "dist", "!dist/**/*.map"] : ["src", "dist"]
    const others = name === "node" ? ["observability"] : []
    assert.deepInclude(manifest, {
      name: `@effect-lingua/${name}`,
      version,
      license: "MIT",
      type: "module",
      sideEffects: false,
      files: [...built, "!dist/.tsbuildinfo", ...others, "CHANGELOG.md"],
      // Modules of core and voice load no undici, and CommonJS can require them from 22.12 on.
      engines: { node: name === "core" || name === "voice" ? ">=22.12.0" : ">=22.19.0" }
    })
    assert.strictEqual(manifest.repository.directory, folder)
    assert.isTrue(manifest.homepage.endsWith(`/effect-lingua/tree/main/${folder}#readme`), manifest.homepage)
    assert.deepInclude(publishConfig, { access: "public", provenance: true })
    assert.deepStrictEqual(publishConfig.exports, published(exports, "dist"))
    assert.deepStrictEqual(publishConfig.bin ?? {}, published(bin, name === "cli" ? "bundle" : "dist"))
    assert.strictEqual(exports["."], name === "cli" ? undefined : "./src/index.ts")
    for (const file of Object.values(bin)) assert.match(read(join(folder, String(file))), /^#!\/usr\/bin\/env node\n/)
    if (name !== "cli" && existsSync(`${folder}/src/internal`)) assert.isNull(publishConfig.exports["./internal/*"])
    assert.strictEqual(exports["./package.json"], "./package.json")
    assert.strictEqual(read(`${folder}/LICENSE`), read("LICENSE"))
    assert.include(read(`${folder}/README.md`), `@effect-lingua/${name}`)
    assert.include(read(`${folder}/CHANGELOG.md`), `## ${version}\n`)
    const peers = Object.entries<string>(manifest.peerDependencies ?? {})
    const { dependencies = {}, peerDependencies = {} } = manifest
    const imported = globSync(`${folder}/src/**/*.ts`).flatMap((file) =>
      Array.from(
        read(file).replaceAll(/^ *\*.*$/gm, "").matchAll(/\b(?:from|import) ?\(?"((?:@[\w-]+\/)?[\w-]+)[^:"]*"/g),
        ([, name = ""]) => name
      )
    )
    // The fake contains `eld`.
    const declared = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), manifest.name, "eld"])
    assert.deepStrictEqual([...new Set(imported)].filter((name) => !declared.has(name)), [])
    for (const [other, range] of Object.entries(dependencies)) {
      if (other.startsWith("@effect-lingua/")) assert.strictEqual(range, "workspace:^", other)
    }
    for (const [peer, range] of peers) {
      const tested: string = manifest.devDependencies[peer] ?? "none"
      // An older minor version of Effect lacks modules that the packages import.
      const [oldest = ""] = (peer === "vitest" ? /^\d+/ : /^\d+\.\d+/).exec(tested) ?? []
      assert.isTrue(range.startsWith("workspace:") || range.startsWith(`^${oldest}.`), `${peer} ${range}`)
    }
    // npm installs every other peer, such as Vitest with a client.
    const optional = peers.filter(([peer]) => name === "cli" || /vitest$|^@effect-lingua\//.test(peer))
    const meta = Object.fromEntries(optional.map(([peer]) => [peer, { optional: true }]))
    assert.deepStrictEqual(manifest.peerDependenciesMeta ?? {}, meta)
  })

  it("is the version in the user agent and of the command line", () => {
    for (const file of ["packages/core/src/config/internal/version.ts", "extensions/cli/src/settings/version.ts"]) {
      assert.include(read(file), `version = "${version}"`)
    }
    const names = globSync("{packages,extensions}/*").map((folder) => `@effect-lingua/${basename(folder)}`)
    assert.sameMembers(JSON.parse(read(".changeset/config.json")).fixed[0], names)
  })
})

describe("the internals of a room", () => {
  it("are at most 20 files in one folder, so that a reader can look through their names", () => {
    const folders = Map.groupBy(globSync("{packages,extensions}/*/src/**/internal/**/*.ts"), (file) => dirname(file))
    const large = [...folders].filter(([, files]) => files.length > 20).map(([folder, files]) =>
      `${folder}: ${files.length}`
    )
    assert.deepStrictEqual(large, [])
  })
})

describe("the keys of services and references", () => {
  it("are package and path", () => {
    const keys = globSync("{packages,extensions}/*/src/**/*.ts").flatMap((file) => {
      const path = file.replace(/^\w+\/(\w+)\/src\/(.*)\.ts$/, "@effect-lingua/$1/$2")
      return Array.from(
        readFileSync(file, "utf8").matchAll(/(?:Context|Middleware|Operations)\.[^"]*?\(\s*"(@effect-lingua\/[^"]+)"/g),
        ([, key = ""]) => ({ key, isOwn: key === path || key.startsWith(`${path}/`) })
      )
    })
    assert.isAbove(keys.length, 40)
    assert.deepStrictEqual(keys.filter(({ isOwn }) => !isOwn), [])
  })
})

/** The names of the values that a module imports from modules of other packages. */
const importsFrom = (file: string, module: RegExp): ReadonlyArray<string> =>
  parseSync(file, readFileSync(file, "utf8")).module.staticImports
    .filter(({ moduleRequest }) => module.test(moduleRequest.value))
    .flatMap(({ entries }) =>
      entries.flatMap(({ importName, isType }) => isType ? [] : [importName.name ?? importName.kind])
    )

describe("one machine for each job", () => {
  const sources = globSync("{packages,extensions}/*/src/**/*.ts")
  const withText = (...patterns: ReadonlyArray<RegExp>) =>
    sources.filter((file) => patterns.some((pattern) => pattern.test(readFileSync(file, "utf8")))).toSorted()

  it("writes the journal of documents", () => {
    const called = /journal\.(?:put|remove)\b/i
    const destructured = /\{[^{}]*\b(?:put|remove)\b[^{}]*\}\s*(?:=\s*(?:yield\*\s*)?|:\s*)journal\b/i
    const inUse = /journal\.use\(\(\{[^}]*\b(?:put|remove)\b/i
    assert.deepStrictEqual(withText(called, destructured, inUse), [
      // The document of the demonstration, which no program uploads.
      "extensions/cli/src/client/fake.ts",
      "packages/core/src/documents/internal/states.ts"
    ])
  })

  it("gives a file its final name", () => {
    assert.deepStrictEqual(
      withText(/\b(?:fs|fileSystem)\.(?:rename|link|symlink|copy|copyFile|writeFile|writeFileString|truncate|sink)\b/i),
      [
        // The note next to the file of --output, which is shortened in place so that a kill leaves a note for each result.
        "extensions/cli/src/files/records.ts",
        // A lock takes its name only if no other has it.
        "packages/node/src/files/internal/processLock.ts",
        "packages/node/src/files/internal/target.ts"
      ]
    )
  })

  it("changes files past the file system of Effect", () => {
    const reading =
      /^(?:close|constants|createReadStream|existsSync|f?stat|globSync|lstat|realpathSync|readFileSync|readdirSync)(?:Sync)?$/
    const changing = withText(/"(?:node:)?fs(?:\/promises)?"/).flatMap((file) => {
      const names = importsFrom(file, /^(?:node:)?fs(?:\/promises)?$/).filter((name) => !reading.test(name))
      return names.length === 0 ? [] : [[file, names] as const]
    })
    assert.deepStrictEqual(Object.fromEntries(changing), {
      // Both open files for reading only: one that may be a pipe, and one that may be no link.
      "extensions/cli/src/files/input.ts": ["open"],
      // SQLite writes its files itself: they are prepared with their mode, and removed together.
      "packages/node/src/files/internal/files.ts": ["openSync", "open"],
      "extensions/cache/src/NodeResultCache.ts": ["rmSync"]
    })
  })

  it("sends a request, or retries", () => {
    const core = withText(/\.execute\(|\bEffect\.retry\(/).filter((file) => file.startsWith("packages/core/"))
    assert.deepStrictEqual(core, [
      // Through the transforms of the client, within an attempt.
      "packages/core/src/call/internal/callRecord.ts"
    ])
  })
})

/** The modules of this repository that a module imports values from, or also types. */
const importsOf = (file: string, withTypes = false): ReadonlyArray<string> => {
  const { staticExports, staticImports } = parseSync(file, readFileSync(file, "utf8")).module
  const imports = staticImports.filter(({ entries }) =>
    entries.length === 0 || entries.some(({ isType }) => withTypes || !isType)
  )
    .map(({ moduleRequest }) => moduleRequest.value)
  const exports = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) =>
      (isType && !withTypes) || moduleRequest === null ? [] : [moduleRequest.value]
    )
  )
  return [...imports, ...exports].flatMap((name) => {
    const [, other, path] = /^@effect-lingua\/(\w+)\/(.+)$/.exec(name) ?? []
    if (other !== undefined) return [`packages/${other}/src/${path}.ts`]
    return name.startsWith(".") ? [join(file, "..", name)] : []
  })
}

/** The files that are in circles of imports, or between two circles. */
const inCircles = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Map(files.map((file) => [file, importsOf(file, true)]))
  for (let before = 0; before !== left.size;) {
    before = left.size
    const imported = new Set([...left.values()].flat())
    for (const [file, imports] of left) {
      if (!imported.has(file) || !imports.some((other) => left.has(other))) left.delete(file)
    }
  }
  return [...left.keys()].toSorted()
}

describe("the files of a package", () => {
  it("are in no circle, not of types either: a type is declared beside the code that makes its values", () => {
    assert.deepStrictEqual(inCircles(globSync("{packages,extensions}/*/src/**/*.ts")), [])
  })
})

describe("the path of a call", () => {
  it("from translate to the socket is in as many files as its modules import, and a new one has its reason", () => {
    const path = new Set([
      "packages/core/src/texts/Translation.ts",
      "packages/core/src/call/internal/call.ts",
      "packages/node/src/http/internal/undiciClient.ts"
    ])
    // A set visits what is added to it on the way.
    for (const file of path) for (const imported of importsOf(file)) path.add(imported)
    // `call/Sender.ts` is public because the types of layers name it.
    assert.isAtMost(path.size, 82, [...path].toSorted().join("\n"))
  })
})
