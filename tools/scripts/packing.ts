// Packs the packages as pnpm publishes them, and installs them in projects outside of this one. After a build
//
//     node tools/scripts/packing.ts <folder>
//
// writes the tarballs of all packages to a folder.
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] })
}

/** The tarballs of all packages, in a folder. */
export const pack = (folder: string): Array<string> => {
  run(
    ".",
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
  return globSync(join(folder, "*.tgz"))
}

/** A package in the version that this repository has installed. */
export const installed = (name: string): string =>
  `${name}@${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`

/** Installs packages in a project. */
export const install = (project: string, ...packages: ReadonlyArray<string>): void =>
  run(project, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages)

if (import.meta.main) {
  const [folder = "release"] = process.argv.slice(2)
  mkdirSync(folder, { recursive: true })
  pack(resolve(folder))
}
