// Packs the packages like pnpm publishes them, and installs them in projects outside of the workspace. After a build
//
//     node tools/scripts/packing.ts <folder>
//
// writes the tarballs of all packages to a folder.
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] })
}

/** License files of packages that contain bundled dependencies. */
export const bundled = { cli: "bundle/LICENSES.txt", testing: "dist/LICENSES.txt" }

/** Returns the problems of a tarball: missing pages and licenses, missing source maps and sources of declarations, superfluous tests and build files, and types named by the barrel. */
export const faultsOf = (tarball: string): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "contents-"))
  try {
    run(folder, "tar", "-xzf", tarball)
    const files = new Set(globSync("**/*", { cwd: join(folder, "package") }))
    const read = (file: string) => readFileSync(join(folder, "package", file), "utf8")
    const isCommand = read("package.json").includes("\"./bundle/")
    const maps = [...files].filter((file) => /^dist\/.*\.d\.ts$/.test(file) && !isCommand).map((file) => `${file}.map`)
    const sources = maps.filter((map) => files.has(map)).flatMap((map) =>
      JSON.parse(read(map)).sources.map((source: string) => join(dirname(map), source))
    )
    const licenses = Object.entries(bundled).flatMap(([name, file]) => tarball.includes(`-${name}-`) ? file : [])
    const lacking = ["README.md", "LICENSE", "CHANGELOG.md", ...licenses, ...maps, ...sources].filter((file) =>
      !files.has(file)
    )
    const odd = [...files].filter((file) => /\.test\.[jt]s$|\.tsbuildinfo$|(?:^|\/)(?:test|node_modules)\//.test(file))
    const ranges = /"(?:workspace|catalog|file|link):/.test(read("package.json")) ? ["a range of the workspace"] : []
    const barrels = [...files].filter((file) =>
      file.endsWith(".d.ts") && /import\("(?:\.\.\/)+index\.ts"\)/.test(read(file))
    ).map((file) => `the whole package in ${file}`)
    const unwanted = [...odd, ...ranges, ...barrels].map((what) => `it has ${what}`)
    return [...lacking.map((file) => `it lacks ${file}`), ...unwanted]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Packs all packages into a folder and returns the tarballs' paths. Throws if a tarball has problems. */
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
  const tarballs = globSync(join(folder, "*.tgz"))
  const faults = tarballs.flatMap((tarball) => faultsOf(tarball).map((fault) => `${tarball}: ${fault}`))
  if (faults.length > 0) throw new Error(faults.join("\n"))
  return tarballs
}

/** A package specifier with the version that this repository has installed. */
export const installed = (name: string): string =>
  `${name}@${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`

export const install = (project: string, ...packages: ReadonlyArray<string>): void =>
  run(project, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages)

if (import.meta.main) {
  const [folder = "release"] = process.argv.slice(2)
  mkdirSync(folder, { recursive: true })
  pack(resolve(folder))
}
