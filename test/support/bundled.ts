/** Programs of the tests as JavaScript in a few files: hundreds of processes start, and each starts in a fraction of the time. */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { basename, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { inParts, ngrams } from "../../tools/scripts/ngrams.ts"

const root = inject("bundles")

/** Writes a file that others read as a whole or not at all. */
const writeWhole = (path: string, contents: string | Uint8Array) => {
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}

/** Bundles a program into a folder like that of its package, named by the content. */
const bundle = async (program: URL): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(program)],
    outdir: ".",
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    logOverride: { "ignored-bare-import": "silent" },
    // Its page of documentation, of 2 MB, is for a server.
    external: ["./internal/httpApiSwagger.ts", "./internal/httpApiSwagger.js"],
    plugins: [{
      name: "ngrams",
      setup: (build) => build.onLoad({ filter: ngrams }, async ({ path }) => ({ contents: await inParts(path) }))
    }],
    // undici calls `require`.
    banner: {
      js: "import { createRequire as requireOf } from \"node:module\"; const require = requireOf(import.meta.url);"
    }
  })
  const hash = createHash("sha256")
  for (const { contents } of outputFiles) hash.update(contents)
  const folder = join(root, hash.digest("hex"))
  mkdirSync(join(folder, "src"), { recursive: true })
  writeWhole(join(folder, "package.json"), readFileSync(findPackageJSON(program) ?? ""))
  for (const { contents, path } of outputFiles) writeWhole(join(folder, "src", basename(path)), contents)
  return join(folder, "src", basename(program.pathname, ".ts") + ".js")
}

/** The path of a program in a bundle of its own. One worker of a run makes it, and the others wait. */
export const bundled = async (program: URL): Promise<string> => {
  const made = join(inject("shared"), createHash("sha256").update(program.href).digest("hex"))
  const making = `${made}.lock`
  if (existsSync(made)) return readFileSync(made, "utf8")
  try {
    mkdirSync(making)
  } catch {
    await setTimeout(20)
    return bundled(program)
  }
  try {
    const path = await bundle(program)
    writeWhole(made, path)
    return path
  } finally {
    rmdirSync(making)
  }
}
