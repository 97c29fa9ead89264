// Bundles modules of a package that are loaded together into one file, because Node.js spends most of a start on finding and opening files. Public
// modules re-export from this file. Modules that only some programs need stay separate, and so do their imports of Effect.
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { licensesOf } from "./licenses.ts"
import * as Ngrams from "./ngrams.ts"

/** The files, each with the entries whose direct and indirect imports it contains. A module that several files need is in the first file. */
const files = {
  core: {
    client: ["LanguageServiceClient"],
    texts: ["texts/Detection", "texts/Translation", "texts/Writing"],
    services: ["LanguageService"]
  },
  node: {
    // Separate, because this check must run before undici is loaded.
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

  /** Collects the modules that the entries import. */
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

  // Barrels are not bundled, because bundlers can tree-shake `export * as`, but not an object of getters.
  const entries = globSync(`${folder}/src/**/*.ts`, { exclude: ["**/internal/**", "**/index.ts"] })
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [relative(`${folder}/src`, file).replace(/\.ts$/, ""), file])),
    external: (id) => id.startsWith("node:") || packages.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: "neutral",
    // Keeps everything: `annotate.ts` annotates the calls that a program's bundler may drop.
    treeshake: false,
    preserveEntrySignatures: "strict",
    plugins: [following, Ngrams.plugin]
  })

  for (const file of globSync(`${folder}/dist/**/*.js{,.map}`, { exclude: ["**/index.js{,.map}"] })) rmSync(file)
  const { output } = await bundle.write({
    dir: `${folder}/dist`,
    format: "esm",
    sourcemap: true,
    // Omits doc comments, which declarations and sources contain and which slow down parsing.
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
