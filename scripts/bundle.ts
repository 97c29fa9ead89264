// Bundles the built executable `effect-lingua` with its dependencies: an install is one package, and a start loads a few files.
import { build, type Plugin } from "esbuild"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"

const outdir = "packages/cli/bundle"
const built = (name: string): string => resolve(`packages/${name}/dist`)

/** Writes the data of the language detection as JSON, which is read three times as fast as source code. */
const data: Plugin = {
  name: "data",
  setup: (bundle) => {
    bundle.onLoad({ filter: /\/eld\/src\/ngrams\// }, async ({ path }) => {
      const { ngramsData } = await import(path)
      return { contents: `export const ngramsData = JSON.parse(${JSON.stringify(JSON.stringify(ngramsData))})` }
    })
  }
}

rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: [`${built("cli")}/bin.js`],
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  plugins: [data],
  alias: Object.fromEntries(["core", "node", "testing"].map((name) => [`@effect-lingua/${name}`, built(name)])),
  // Its page of documentation, of 2 MB, is for a server.
  external: ["./internal/httpApiSwagger.js"],
  // undici calls `require`.
  banner: { js: "import { createRequire } from \"node:module\";const require = createRequire(import.meta.url);" }
})

/** The folders of the bundled packages. */
const folders = new Set(
  Object.keys(metafile.inputs).flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
)
const licenses = [...folders].toSorted().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))
  const [file] = globSync(`${folder}/LICEN[CS]E*`)
  if (file === undefined) throw new Error(`${name} has no license`)
  return `${name} ${version}\n\n${readFileSync(file, "utf8").trim()}\n`
})
writeFileSync(`${outdir}/LICENSES.txt`, licenses.join(`\n${"-".repeat(80)}\n\n`))
