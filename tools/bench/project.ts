/** Creates a project with the packages in their published form: built and without sources. */
import { Data, Effect, type Scope } from "effect"
import { build, type BuildOptions } from "esbuild"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The build of a package is missing or older than its sources. */
class NotBuilt extends Data.TaggedError("NotBuilt")<{ readonly reason: string }> {
  override get message(): string {
    return `${this.reason}: run \`npx -y pnpm@12 build\` first, or the benchmark by \`npx -y pnpm@12 bench\``
  }
}

/** The published executable of the command line. */
export const commandLine = fileURLToPath(new URL("../../extensions/cli/bundle/bin.js", import.meta.url))

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The time of the latest change in a folder. */
const newest = (folder: string, pattern: string): number =>
  globSync(join(folder, pattern)).reduce((latest, file) => Math.max(latest, statSync(file).mtimeMs), 0)

const checkBuilt = (name: string): Effect.Effect<void, NotBuilt> =>
  Effect.suspend(() => {
    const folder = path(`../../packages/${name}`)
    const built = newest(folder, "dist/**/*.js")
    if (built === 0) return new NotBuilt({ reason: `${name} is not built` })
    return built < newest(folder, "src/**/*.ts")
      ? new NotBuilt({ reason: `${name} has changed since it was built` })
      : Effect.void
  })

const ours = ["core", "node", "testing"]
const theirs = ["@effect/platform-node", "deepl-node", "effect"]

const link = (target: string, at: string): void => {
  mkdirSync(dirname(at), { recursive: true })
  if (!existsSync(at)) symlinkSync(realpathSync(target), at)
}

const install = (folder: string): void => {
  const modules = join(folder, "node_modules")
  for (const name of ours) {
    const from = path(`../../packages/${name}`)
    const to = join(modules, "@effect-lingua", name)
    cpSync(join(from, "dist"), join(to, "dist"), { recursive: true })
    const { publishConfig, ...manifest } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
    writeFileSync(join(to, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }))
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      if (!dependency.startsWith("@effect-lingua/")) {
        link(join(from, "node_modules", dependency), join(modules, dependency))
      }
    }
  }
  for (const name of theirs) link(path(`node_modules/${name}`), join(modules, name))
  cpSync(path("apps"), folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
}

/** Creates a project with the benchmark's apps and returns its folder, which is removed at the end of the scope. */
export const project: Effect.Effect<string, Error, Scope.Scope> = Effect.gen(function*() {
  yield* Effect.forEach(ours, checkBuilt, { discard: true })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bench-project-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  yield* Effect.sync(() => install(folder))
  return folder
})

/** A response body that all apps can decode. */
export const answer = JSON.stringify({
  translations: [{ detected_source_language: "EN", text: "Gut.", billed_characters: 5 }],
  results: [{ detection_status: "success", detected_language: "en" }]
})

/** Compiles apps to JavaScript, so that removing types does not count. Packages stay external. */
export const transpile = (folder: string, apps: ReadonlyArray<string>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    build({
      ...shared(folder),
      entryPoints: apps.map((app) => `${app}.ts`),
      outdir: ".",
      packages: "external"
    })
  )

/** Bundles an app with all packages into the folder `bundled`. */
export const bundleApp = (folder: string, app: string): Effect.Effect<unknown> =>
  Effect.promise(() =>
    build({
      ...shared(folder),
      entryPoints: [`${app}.ts`],
      outdir: "bundled",
      minify: true,
      // undici calls `require`.
      banner: { js: "import { createRequire } from \"node:module\"; const require = createRequire(import.meta.url);" }
    })
  )

const shared = (folder: string): BuildOptions => ({
  absWorkingDir: folder,
  bundle: true,
  format: "esm",
  platform: "node"
})
