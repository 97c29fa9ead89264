// Builds the site into site/dist: the pages of docs, the API reference from the sources, and llms.txt.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { Application, type TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { build } from "vitepress"
import { others, sections } from "./pages.ts"

const root = join(import.meta.dirname, "..")
const target = join(import.meta.dirname, "pages")
const { repository } = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8"))
const address = String(repository.url).replace(/^git\+|\.git$/g, "")

const guides = globSync("docs/**/*.md", { cwd: root }).map((file) => file.replace(/^docs\/|\.md$/g, ""))
const listed = new Set(sections.flatMap(({ pages }) => pages))
const unlisted = guides.filter((page) => !listed.has(page))
if (unlisted.length > 0) throw new Error(`site/pages.ts does not list ${unlisted.join(", ")}`)

/** The route of each file that is a page. */
const routes = new Map([
  ...Object.entries(others),
  ...guides.map((page) => [`docs/${page}.md`, page] as const)
])

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}

/** The address of a link on the site: a page, a picture, or a file of the repository. */
const linked = (from: string, link: string): string => {
  if (/^[a-z]+:|^#/.test(link)) return link
  const [path = "", anchor] = link.split("#")
  const file = posix.join(posix.dirname(from), path)
  const route = routes.get(file)
  if (route !== undefined) return `/${route === "index" ? "" : route}${anchor === undefined ? "" : `#${anchor}`}`
  if (/^docs\/(?:pictures\/|openapi\.json)/.test(file)) return file.replace(/^docs/, "")
  if (!existsSync(join(root, file))) throw new Error(`${from} links to ${link}, which does not exist`)
  return `${address}/${statSync(join(root, file)).isDirectory() ? "tree" : "blob"}/main/${file}`
}

const page = (file: string): string =>
  readFileSync(join(root, file), "utf8")
    .replace(/(\]\()([^)\s]+)(\))/g, (_, before: string, link: string, after: string) =>
      before + linked(file, link) + after)
    // A mark of the tests, which is no part of the example.
    .replaceAll("```ts import.meta.vitest", "```ts")

/** `core/src/texts/Writing` is the page `core/texts/Writing`. */
const moved = (path: string) => path.replace("/src/", "/")

const writeReference = async (): Promise<ReadonlyArray<string>> => {
  const out = join(target, "api")
  const options: TypeDocOptions & Partial<PluginOptions> = {
    entryPoints: globSync(join(root, "packages/{core,node,testing}/src/**/{[A-Z]*,promise}.ts"), {
      exclude: (file) => file.includes("internal")
    }),
    tsconfig: join(import.meta.dirname, "tsconfig.api.json"),
    plugin: [fileURLToPath(import.meta.resolve("typedoc-plugin-markdown"))],
    out,
    router: "module",
    readme: "none",
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeTags: ["@since"],
    categoryOrder: ["services", "layers", "constructors", "models", "options", "errors", "*", "schemas", "Other"],
    // The compiler of this repository checks the sources, with a newer version of TypeScript.
    skipErrorChecking: true,
    disableSources: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    logLevel: "Error"
  }
  const app = await Application.bootstrapWithPlugins(options)
  const project = await app.convert()
  if (project === undefined) throw new Error("the reference could not be made")
  await app.generateOutputs(project)
  if (app.logger.hasErrors()) throw new Error("the reference could not be written")
  rmSync(join(out, "README.md"))
  return globSync("**/*.md", { cwd: out }).map((file) => {
    const text = readFileSync(join(out, file), "utf8")
      .replace(/^# (\w+)\/src\//, "# $1/")
      // A schema and its type share a name, and the first heading of it.
      .replace(/(\]\([\w./-]*#\w+)-\d+\)/g, "$1)")
      .replace(
        /(\]\()([\w./-]+)\.md((?:#[\w-]+)?\))/g,
        (_, before: string, link: string, after: string) =>
          `${before}/api/${moved(posix.join(posix.dirname(file), link))}${after}`
      )
    rmSync(join(out, file))
    write(`api/${moved(file)}`, text)
    return moved(file).replace(/\.md$/, "")
  }).toSorted()
}

const headOf = (text: string) => {
  const [, title = ""] = /^# (.+)$/m.exec(text) ?? []
  const [, summary = ""] = /^# .+\n\n((?:.+\n)+)/m.exec(text) ?? []
  return { title, summary: summary.replace(/\s+/g, " ").trim() }
}

rmSync(target, { recursive: true, force: true })
for (const [file, route] of routes) write(`${route}.md`, page(file))
cpSync(join(root, "docs/pictures"), join(target, "public/pictures"), { recursive: true })
cpSync(join(root, "docs/openapi.json"), join(target, "public/openapi.json"))
const modules = await writeReference()
write(
  "api/index.md",
  `# API reference\n\nFind each public module of the packages.\n\n${
    modules.map((name) => `- [${name}](/api/${name})`).join("\n")
  }\n`
)
write("api/modules.json", JSON.stringify(modules))

const texts = [...listed].map((name) => ({ name, text: readFileSync(join(target, `${name}.md`), "utf8") }))
write(
  "public/llms.txt",
  [
    "# Effect Lingua",
    "",
    `> ${headOf(readFileSync(join(root, "README.md"), "utf8")).summary.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")}`,
    "",
    "## Docs",
    "",
    ...texts.map(({ name, text }) => `- [${headOf(text).title}](/${name}.md): ${headOf(text).summary}`),
    ""
  ].join("\n")
)
for (const { name, text } of texts) write(`public/${name}.md`, text)
write("public/llms-full.txt", texts.map(({ text }) => text).join("\n\n"))

await build(import.meta.dirname)
process.stdout.write(
  `${globSync("dist/**/*.html", { cwd: import.meta.dirname }).length} pages in ${relative(".", "site/dist")}\n`
)
