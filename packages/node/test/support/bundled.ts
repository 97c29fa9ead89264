/** Programs of the tests as one file of JavaScript: hundreds of processes start, and each starts in a fraction of the time. */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where they are, and what Node has compiled of them. */
export const folder = join(tmpdir(), "effect-lingua-tests")

/** The path of a program in one file, which is named by its content, so that test files that run beside each other share it. */
export const bundled = async (program: URL): Promise<string> => {
  const { outputFiles: [file] } = await build({
    entryPoints: [fileURLToPath(program)],
    write: false,
    bundle: true,
    format: "esm",
    platform: "node",
    // For what undici requires.
    banner: { js: "import { createRequire } from \"node:module\"; const require = createRequire(import.meta.url);" }
  })
  if (file === undefined) throw new Error(`${program.href} has become no file`)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${createHash("sha256").update(file.contents).digest("hex")}.mjs`)
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, file.contents)
  renameSync(temporary, path)
  return path
}
