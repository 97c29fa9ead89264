/** Programs of the tests as JavaScript in a few files: hundreds of processes start, and each starts in a fraction of the time. */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(tmpdir(), "effect-lingua-tests")

const day = 24 * 60 * 60 * 1000

/** Removes what no run has used for a day before `now`. Another process may do the same. */
const sweep = (now: number) => {
  for (const name of readdirSync(root)) {
    const path = join(root, name)
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modified !== undefined && modified < now - day) rmSync(path, { recursive: true, force: true })
  }
}

/**
 * The path of a program in a bundle of its own, in a folder like that of its package. The folder is named by the content, so
 * that test files that run at the same time share it.
 */
export const bundled = async (program: URL): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(program)],
    outdir: ".",
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    // Its page of documentation, of 2 MB, is for a server.
    external: ["./internal/httpApiSwagger.ts", "./internal/httpApiSwagger.js"],
    // undici calls `require`.
    banner: {
      js: "import { createRequire as requireOf } from \"node:module\"; const require = requireOf(import.meta.url);"
    }
  })
  const hash = createHash("sha256")
  for (const { contents } of outputFiles) hash.update(contents)
  const folder = join(root, hash.digest("hex"))
  const write = (name: string, contents: Uint8Array) => {
    const path = join(folder, name)
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, path)
  }
  mkdirSync(join(folder, "src"), { recursive: true })
  write("package.json", readFileSync(findPackageJSON(program) ?? ""))
  for (const { contents, path } of outputFiles) write(join("src", basename(path)), contents)
  // The folder was written to just now.
  sweep(statSync(folder).mtimeMs)
  return join(folder, "src", basename(program.pathname, ".ts") + ".js")
}
