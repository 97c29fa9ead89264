// Runs a release without publishing, from a clean clone of the last commit: writes tarballs, checksums and a bill of materials for each package to
// `release/`.
import { createHash } from "node:crypto"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { bundled, run } from "./packing.ts"

const folder = resolve("release")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)

interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"))

/**
 * Adds bundled components to a package's bill of materials: components named in `licenses`, from the bill `whole`, which includes development
 * dependencies.
 */
const addBundled = (bill: string, whole: string, licenses: string): void => {
  const { components = [], ...others } = read(bill)
  const isBundled = ({ group, name, version }: Component) =>
    `\n${licenses}`.includes(`\n${group === undefined ? "" : `${group}/`}${name} ${version}\n`)
  const added = read(whole).components.filter(isBundled)
  writeFileSync(bill, JSON.stringify({ ...others, components: [...components, ...added] }, undefined, 2))
}

const clone = mkdtempSync(join(tmpdir(), "release-"))
try {
  run(".", "git", "clone", "--quiet", "--depth", "1", `file://${resolve(".")}`, clone)
  run(clone, "pnpm", "install", "--frozen-lockfile", "--reporter=silent")
  run(clone, "pnpm", "--silent", "build")
  run(
    clone,
    "pnpm",
    "--reporter=silent",
    "-r",
    "--filter",
    "./packages/*",
    "--filter",
    "./extensions/*",
    "pack",
    "--pack-destination",
    folder
  )
  const sbom = ["sbom", "--split", "--sbom-format", "cyclonedx", "--out"]
  run(
    clone,
    "pnpm",
    "-r",
    "--filter",
    "./packages/*",
    "--filter",
    "./extensions/*",
    ...sbom,
    join(folder, "%s-%v.cdx.json"),
    "--prod"
  )
  for (const [name, licenses] of Object.entries(bundled)) {
    run(clone, "pnpm", "--filter", `@effect-lingua/${name}`, ...sbom, join(clone, "%s.whole.json"))
    const [bill = ""] = globSync(join(folder, `*-${name}-*.cdx.json`))
    const [whole = ""] = globSync(join(clone, `*-${name}.whole.json`))
    addBundled(bill, whole, readFileSync(join(clone, ...globSync(`*/${name}`, { cwd: clone }), licenses), "utf8"))
  }
} finally {
  rmSync(clone, { recursive: true })
}

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")
const sums = globSync(join(folder, "*.tgz")).toSorted().map((file) => `${digest(file)}  ${basename(file)}\n`)
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
process.stdout.write(`${globSync(join(folder, "*")).toSorted().map((file) => basename(file)).join("\n")}\n`)
