// Puts the modules of core into one file from which the public ones export, because Node spends most of a start on finding and
// opening files.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs"
import { relative, resolve } from "node:path"
import { rolldown } from "rolldown"

const folder = "packages/core"
const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))
const packages = Object.keys({ ...dependencies, ...peerDependencies })

// What only programs with shared limits need comes with Effect's stores and their client of Redis.
const apart = new Set(
  ["SharedState", "internal/localStores", "internal/sharedCircuit", "internal/sharedRates"].map((name) => {
    const file = resolve(folder, `src/resilience/${name}.ts`)
    if (!existsSync(file)) throw new Error(`${file} has another name now`)
    return file
  })
)

const entries = globSync(`${folder}/src/**/*.ts`, { exclude: ["**/internal/**"] })
const bundle = await rolldown({
  input: Object.fromEntries(entries.map((file) => [relative(`${folder}/src`, file).replace(/\.ts$/, ""), file])),
  external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
  platform: "neutral",
  // Nothing is left out: `annotate.ts` marks what a program's own bundler may drop.
  treeshake: false,
  preserveEntrySignatures: "strict"
})

for (const file of globSync(`${folder}/dist/**/*.js{,.map}`)) rmSync(file)
await bundle.write({
  dir: `${folder}/dist`,
  format: "esm",
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  codeSplitting: {
    groups: [{
      name: "modules",
      test: (id) => !apart.has(id)
    }]
  }
})
