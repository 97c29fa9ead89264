// Runs each example's tests outside of the workspace, with the packed packages.
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { install, installed, pack, run } from "./packing.ts"

const ours = /^@effect-lingua\//

/** A project's dependencies: packages of this repository as tarballs, other packages in the versions that this repository tests. */
const packages = (project: string, tarballs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  return Object.keys({ ...dependencies, ...devDependencies }).map((name) => {
    if (!ours.test(name)) return installed(name)
    const tarball = tarballs.find((path) => basename(path).startsWith(`${name.slice(1).replace("/", "-")}-`))
    if (tarball === undefined) throw new Error(`${project} needs ${name}, which is not a package of this repository`)
    return tarball
  })
}

const temporary = mkdtempSync(join(tmpdir(), "examples-"))
try {
  const tarballs = pack(temporary)
  const projects = globSync("examples/*/package.json", { exclude: ["examples/{backend,resource}/**"] }).map((file) =>
    dirname(file)
  )
  // One install for all projects, because Node.js also resolves modules in parent folders.
  writeFileSync(join(temporary, "package.json"), JSON.stringify({ private: true }))
  install(temporary, ...new Set(projects.flatMap((project) => packages(project, tarballs))))
  for (const project of projects) {
    process.stdout.write(`\n${project}\n`)
    cpSync(project, join(temporary, project), { recursive: true })
    run(join(temporary, project), "npm", "test", "--silent")
  }
} finally {
  rmSync(temporary, { recursive: true })
}
