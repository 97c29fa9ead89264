// Does everything of a release but the publishing, from a clean clone of the last commit: writes the tarballs, their checksums and a
// bill of materials for each package to `release/`.
import { createHash } from "node:crypto"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { run } from "./packing.ts"

const folder = resolve("release")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)

interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
}

/** A bundle has no dependencies: its components are those whose licenses it contains. */
const keepBundled = (file: string, licenses: string): void => {
  const { dependencies: _, ...bill } = JSON.parse(readFileSync(file, "utf8"))
  const isBundled = ({ group, name, version }: Component) =>
    licenses.includes(`\n${group === undefined ? "" : `${group}/`}${name} ${version}\n`)
  writeFileSync(file, JSON.stringify({ ...bill, components: bill.components.filter(isBundled) }, undefined, 2))
}

const clone = mkdtempSync(join(tmpdir(), "release-"))
try {
  run(".", "git", "clone", "--quiet", "--depth", "1", `file://${resolve(".")}`, clone)
  run(clone, "pnpm", "install", "--frozen-lockfile", "--reporter=silent")
  run(clone, "pnpm", "--silent", "build")
  run(clone, "pnpm", "--reporter=silent", "-r", "--filter", "./packages/*", "pack", "--pack-destination", folder)
  const sbom = ["sbom", "--split", "--sbom-format", "cyclonedx", "--out", join(folder, "%s-%v.cdx.json")]
  run(clone, "pnpm", "-r", "--filter", "./packages/*", "--filter", "!./packages/cli", ...sbom, "--prod")
  run(clone, "pnpm", "--filter", "./packages/cli", ...sbom)
  const licenses = `\n${readFileSync(join(clone, "packages/cli/bundle/LICENSES.txt"), "utf8")}`
  for (const file of globSync(join(folder, "*-cli-*.cdx.json"))) keepBundled(file, licenses)
} finally {
  rmSync(clone, { recursive: true })
}

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")
const sums = globSync(join(folder, "*.tgz")).toSorted().map((file) => `${digest(file)}  ${basename(file)}\n`)
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
process.stdout.write(`${globSync(join(folder, "*")).toSorted().map((file) => basename(file)).join("\n")}\n`)
