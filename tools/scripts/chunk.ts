// Puts the modules of a package that are loaded together into one file, from which the public ones export, because Node spends
// most of a start on finding and opening files. What only some programs need, and with it the modules of Effect that it imports, stays
// apart.
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { licensesOf } from "./licenses.ts"
import * as Ngrams from "./ngrams.ts"

/** Files of modules by the entries that need them, directly or not. A module is in the first of its files. */
const files = {
  core: {
    client: ["LanguageServiceClient"],
    texts: ["texts/Detection", "texts/Translation", "texts/Writing"],
    services: ["LanguageService"]
  },
  node: {
    // Of its own, as it has to run before undici is loaded.
    supported: ["internal/supported"],
    pool: ["http/NodePool"],
    services: ["NodeLanguageService"]
  },
  testing: {
    recording: ["recording/Recording", "fake/Dialect"],
    faults: ["faults/Script", "faults/Weather"],
    fake: ["fake/FakeLanguageService"]
  }
}

const build = async (name: string, files: Readonly<Record<string, ReadonlyArray<string>>>): Promise<void> => {
  const folder = `packages/${name}`
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))
  const packages = Object.keys({ ...dependencies, ...peerDependencies })
  const chunks = Object.entries(files).map(([name, needed]) => ({
    name,
    needed: needed.map((name) => {
      const file = resolve(folder, `src/${name}.ts`)
      if (!existsSync(file)) throw new Error(`${file} has another name now`)
      return file
    }),
    modules: new Set<string>()
  }))

  /** Follows the imports of the entries. */
  const following: Plugin = {
    name: "following",
    buildEnd() {
      for (const { modules, needed } of chunks) {
        const waiting = [...needed]
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          if (modules.has(id)) continue
          modules.add(id)
          waiting.push(...this.getModuleInfo(id)?.importedIds ?? [])
        }
      }
    }
  }

  // Barrels stay as they are compiled, because bundlers see through `export * as`, but not through an object of getters.
  const entries = globSync(`${folder}/src/**/*.ts`, { exclude: ["**/internal/**", "**/index.ts"] })
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [relative(`${folder}/src`, file).replace(/\.ts$/, ""), file])),
    external: (id) => id.startsWith("node:") || packages.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: "neutral",
    // Nothing is left out: `annotate.ts` marks what a program's own bundler may drop.
    treeshake: false,
    preserveEntrySignatures: "strict",
    plugins: [following, Ngrams.plugin]
  })

  for (const file of globSync(`${folder}/dist/**/*.js{,.map}`, { exclude: ["**/index.js{,.map}"] })) rmSync(file)
  const { output } = await bundle.write({
    dir: `${folder}/dist`,
    format: "esm",
    sourcemap: true,
    // They are in the types and the sources, and take time to read.
    comments: { jsdoc: false },
    entryFileNames: "[name].js",
    chunkFileNames: "internal/[name].js",
    codeSplitting: {
      groups: chunks.map(({ modules, name }, index) => ({
        name,
        test: (id: string) => modules.has(id),
        priority: chunks.length - index
      }))
    }
  })
  const licenses = licensesOf(output)
  if (licenses !== "") writeFileSync(`${folder}/dist/LICENSES.txt`, licenses)
}

await Promise.all(Object.entries(files).map(([name, needed]) => build(name, needed)))
