// packs every package exactly as pnpm would publish it, lints the tarballs, then uses them in an empty project
import { execFileSync } from "node:child_process"
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const temporary = mkdtempSync(join(tmpdir(), "pack-check-"))
const run = (cwd: string, command: string, ...args: Array<string>) =>
  execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] })

const packAndLint = () => {
  run(".", "pnpm", "--reporter=silent", "-r", "--filter", "./packages/*", "pack", "--pack-destination", temporary)
  const tarballs = globSync(join(temporary, "*.tgz"))
  for (const tarball of tarballs) {
    run(".", "publint", "--strict", tarball)
    run(".", "attw", "--profile", "esm-only", "--quiet", tarball)
  }
  return tarballs
}

// the version that this repository has installed
const installed = (name: string) =>
  `${name}@${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`

// one import for each module that "./*" exports; a bin would run when imported
const everyModule = () =>
  globSync("packages/*/src/*.ts").flatMap((file) => {
    const [, folder, , name] = file.split("/")
    const module = basename(name ?? "", ".ts")
    return module === "bin" || module === "index" ? [] : [`import "@effect-lingua/${folder}/${module}"\n`]
  }).join("")

const use = (tarballs: Array<string>) => {
  const project = join(temporary, "consumer")
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { target: "ES2024", module: "NodeNext", strict: true, skipLibCheck: false } })
  )
  writeFileSync(join(project, "modules.ts"), everyModule())
  copyFileSync("scripts/consumer/example.ts", join(project, "example.ts"))
  const dependencies = ["effect", "@effect/platform-node", "@effect/vitest", "vitest", "typescript"].map(installed)
  run(project, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs, ...dependencies)
  run(project, "npx", "tsc")
  run(project, process.execPath, "modules.js")
  run(project, process.execPath, "example.js")
}

try {
  use(packAndLint())
} finally {
  rmSync(temporary, { recursive: true })
}
