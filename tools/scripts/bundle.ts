// Bundles the built executable `effect-lingua` with its dependencies, so that an install is one package and a start loads few files.
import { globSync, rmSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { licensesOf } from "./licenses.ts"
import * as Ngrams from "./ngrams.ts"

const outdir = "extensions/cli/bundle"
const built = (name: string): string => resolve(...globSync(`{packages,extensions}/${name}/dist`))

/** The modules that an entry imports, directly or indirectly, without dynamic imports. */
const startedBy = new Map<string, ReadonlySet<string>>()

const starts: Plugin = {
  name: "starts",
  buildEnd() {
    for (const entry of ["main.js", "commands/command.js", "client/fake.js"]) {
      const found = new Set<string>()
      const waiting = [`${built("cli")}/${entry}`]
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (found.has(id)) continue
        found.add(id)
        waiting.push(...this.getModuleInfo(id)?.importedIds ?? [])
      }
      startedBy.set(entry, found)
    }
  }
}

rmSync(outdir, { recursive: true, force: true })
const bundle = await rolldown({
  input: `${built("cli")}/bin.js`,
  platform: "node",
  resolve: {
    // Prefers ES modules, because bundlers cannot follow the `require` calls of UMD builds.
    mainFields: ["module", "main"],
    alias: Object.fromEntries(
      ["cache", "core", "node", "localization", "testing", "voice"].map((
        name
      ) => [`@effect-lingua/${name}`, built(name)])
    )
  },
  // The command line uses neither Redis nor Swagger's page of 2 MB.
  external: (id) => id === "redis" || id.endsWith("/internal/httpApiSwagger.js"),
  treeshake: { moduleSideEffects: [{ test: /\/cli\/dist\/bin\.js$/, sideEffects: true }] },
  plugins: [Ngrams.plugin, starts]
})
const { output } = await bundle.write({
  dir: outdir,
  format: "esm",
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  comments: { legal: false },
  // One file for every start, one for commands, and one for the embedded fake, because Node.js spends most of a start on finding files.
  codeSplitting: {
    groups: [
      { name: "start", test: (id) => startedBy.get("main.js")?.has(id) ?? false, priority: 3 },
      { name: "command", test: (id) => startedBy.get("commands/command.js")?.has(id) ?? false, priority: 2 },
      {
        name: "fake",
        test: (id) =>
          ["testing", "voice"].some((name) => id.startsWith(built(name))) &&
          (startedBy.get("client/fake.js")?.has(id) ?? false)
      }
    ]
  }
})

writeFileSync(`${outdir}/LICENSES.txt`, licensesOf(output))
