// Packs the packages as pnpm publishes them, and installs them in projects outside of this one.
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

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
