// Packs each package like pnpm publishes it, lints the tarballs, and uses them in empty projects.
import * as Context from "effect/Context"
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { kinds } from "../../extensions/localization/test/support/formatFixtures.ts"
import { install, installed, pack, run } from "./packing.ts"

const temporary = mkdtempSync(join(tmpdir(), "pack-check-"))

const packAndLint = () => {
  const tarballs = pack(temporary)
  for (const tarball of tarballs) {
    run(".", "publint", "--strict", tarball)
    run(".", "attw", "--profile", "esm-only", "--quiet", tarball)
  }
  return tarballs
}

// The public modules of the libraries.
const files = globSync(
  ["{packages,extensions}/!(cli)/src/**/{[A-Z]*,promise}.ts", "extensions/cli/src/CommandLine.ts"],
  {
    exclude: ["**/internal/**"]
  }
)
const moduleOf = (file: string) => file.replace(/^\w+\/(\w+)\/src\/(.+)\.ts$/, "@effect-lingua/$1/$2")

// Exports each public value and service from another package, whose declarations must be able to name the types. Modules for extensions are not
// checked.
const checkDeclarations = async (project: string) => {
  const folder = join(project, "values")
  mkdirSync(folder)
  const declared = files.filter((file) => !/\/extension\/|\/conformance\/src\/Checks|\/voice\/src\/\w+Api/.test(file))
  await Promise.all(declared.map(async (file, index) => {
    const values = Object.entries<unknown>(await import(`../../${file}`))
    const lines = values.map(([name, value]) =>
      `export const $${name} = M.${name}\n${
        Context.isKey(value) ? `export const $of_${name} = M.${name}.useSync((service) => ({ service }))\n` : ""
      }`
    )
    writeFileSync(join(folder, `${index}.ts`), `import * as M from "${moduleOf(file)}"\n${lines.join("")}`)
  }))
  copyFileSync("tools/scripts/consumer/declared.ts", join(folder, "declared.ts"))
  const compilerOptions = { target: "ES2024", module: "NodeNext", strict: true, skipLibCheck: false }
  const config = (name: string, files: ReadonlyArray<string>) => {
    const options = {
      ...compilerOptions,
      skipLibCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: ".",
      outDir: "../declared"
    }
    const path = join(folder, `tsconfig.${name}.json`)
    writeFileSync(path, JSON.stringify({ compilerOptions: options, files: files.map((file) => `${file}.ts`) }))
    return path
  }
  // Compiles modules that export declarations of others alone, because they could make types of the other modules nameable.
  const { alone = [], together = [] } = Object.groupBy(
    declared.entries(),
    ([, file]) => /^export (?:type )?[*{]/m.test(readFileSync(file, "utf8")) ? "alone" : "together"
  )
  const configs = ["declared", ...alone.map(([index]) => `${index}`)].map((name) => config(name, [name]))
  // One process for all, because it reads the declarations of the dependencies once.
  run(project, "node_modules/.bin/tsc", "-b", ...configs, config("together", together.map(([index]) => `${index}`)))
  const options = ["--ignoreConfig", "--target", "ES2024", "--module", "NodeNext", "--strict"]
  run(project, "npx", "tsc", ...options, "--noEmit", ...globSync(join(project, "declared/*.d.ts")))
}

const use = async (tarballs: Array<string>) => {
  const project = join(temporary, "consumer")
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { target: "ES2024", module: "NodeNext", strict: true, skipLibCheck: false } })
  )
  writeFileSync(join(project, "modules.ts"), files.map((file) => `import "${moduleOf(file)}"\n`).join(""))
  copyFileSync("tools/scripts/consumer/example.ts", join(project, "example.ts"))
  const dependencies = ["effect", "@effect/platform-node", "@effect/vitest", "vitest", "typescript"].map(installed)
  install(project, ...tarballs, ...dependencies)
  run(project, "npx", "tsc")
  run(project, process.execPath, "modules.js")
  run(project, process.execPath, "example.js")
  await checkDeclarations(project)
}

// Installs packages with their dependencies and peers in an empty folder, like `npx`.
const installAlone = (tarballs: Array<string>, name: string, needed: RegExp) => {
  const project = join(temporary, name)
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true }))
  const chosen = tarballs.filter((tarball) => needed.test(basename(tarball)))
  install(project, ...chosen)
  return project
}

const sizeOf = (project: string, pattern: string) =>
  globSync(pattern, { cwd: project }).reduce((sum, file) => {
    const info = lstatSync(join(project, file))
    return info.isFile() ? sum + info.size : sum
  }, 0)

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`

// Checks that a production install of the client contains neither the fake nor its language detection.
const installClient = (tarballs: Array<string>) => {
  const project = installAlone(tarballs, "client", /-(core|node)-/)
  const unwanted = globSync("**/node_modules/{eld,@effect-lingua/{testing,cli}}", { cwd: project })
  if (unwanted.length > 0) throw new Error(`core and node install ${unwanted.join(", ")}`)
  const lacking = ["alerts.json", "dashboard.json"].filter((file) =>
    !existsSync(join(project, "node_modules/@effect-lingua/node/observability", file))
  )
  if (lacking.length > 0) throw new Error(`the package of node lacks ${lacking.join(", ")}`)
  const own = mebibytes(sizeOf(project, "node_modules/@effect-lingua/**/*"))
  process.stdout.write(`core and node installed: ${mebibytes(sizeOf(project, "**/*"))}, ${own} of it their own\n`)
}

/** Runs a function while a fake of the service listens at a URL. */
const withFake = async (tarballs: Array<string>, use: (url: string) => void) => {
  const bin = "fake-language-service"
  const project = installAlone(tarballs, "testing", /-(core|testing)-/)
  const server = spawn(join(project, "node_modules/.bin", bin), ["--port", "0", "--ready-after", "0 millis"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const closed = once(server, "close")
  try {
    const line = String(await Promise.race([once(server.stdout, "data"), closed]))
    use(/http:\/\/[\d.:]+/.exec(line)?.[0] ?? "")
  } finally {
    server.kill()
  }
  const [code] = await closed
  if (code !== 0) throw new Error(`${bin}: exit code ${code}`)
}

// Runs the usual tasks of docs/cli.md, and `localize` with each file format.
const useCommandLine = (project: string, url: string) => {
  const tasks = readFileSync("docs/cli.md", "utf8").split("\n## ").find((part) => part.startsWith("Usual tasks")) ?? ""
  const examples = Array.from(tasks.matchAll(/^ {4}\$ (effect-lingua .*)$/gm), ([, example = ""]) => example)
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), content)
  }
  const variables = `PATH=${join(project, "node_modules/.bin")}:$PATH HOME=${project} LANGUAGE_SERVICE_KEY=fake-key`
  const shell = (folder: string, command: string) =>
    run(join(project, folder), "sh", "-c", `export ${variables} LANGUAGE_SERVICE_BASE_URL=${url}; ${command}`)
  for (const name of ["letter.txt", "minutes.txt"]) write(name, "Good morning\n")
  write("terms.tsv", "bolt\tBolzen\n")
  write("locales/en.json", `{ "title": "My page", "item_one": "{{count}} item", "item_other": "{{count}} items" }`)
  write("effect-lingua.json", `{ "source": "en", "targets": ["de", "pl"], "files": ["locales/{language}.json"] }`)
  if (examples.length < 10) throw new Error("cli.md has no usual tasks")
  for (const example of examples) shell(".", example)

  const files = kinds.map(({ file }) => file)
  write("formats/effect-lingua.json", JSON.stringify({ source: "en", targets: ["de"], files }))
  for (const { file, print } of kinds) {
    const texts = { title: "My page" }
    write(join("formats", file.replace("{language}", "en")), print("en", texts, texts))
  }
  shell("formats", "effect-lingua localize --fake")
  for (const file of files) {
    const target = join(project, "formats", file.replace("{language}", "de"))
    if (!readFileSync(target, "utf8").includes("[de] My page")) throw new Error(`effect-lingua localize: ${target}`)
  }
}

try {
  const tarballs = packAndLint()
  await use(tarballs)
  installClient(tarballs)
  const project = installAlone(tarballs, "cli", /-cli-/)
  await withFake(tarballs, (url) => useCommandLine(project, url))
} finally {
  rmSync(temporary, { recursive: true })
}
