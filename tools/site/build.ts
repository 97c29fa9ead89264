// Builds the site in tools/site/dist: the pages of docs, the API reference from the sources, and llms.txt.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import { build } from "vitepress"
import { logo } from "./logo.ts"
import { contributors, others, overview, sections } from "./pages.ts"
import { makeReference } from "./reference.ts"

const root = join(import.meta.dirname, "../..")
const target = join(import.meta.dirname, "pages")
const { repository } = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8"))
const address = String(repository.url).replace(/^git\+|\.git$/g, "")

const guides = globSync("docs/**/*.md", { cwd: root }).map((file) => file.replace(/^docs\/|\.md$/g, ""))
const listed = new Set([...sections, contributors].flatMap(({ pages }) => pages))
const unlisted = guides.filter((page) => !listed.has(page))
if (unlisted.length > 0) throw new Error(`tools/site/pages.ts does not list ${unlisted.join(", ")}`)

/** Maps each file that is a page to its route. */
const routes = new Map([
  ...Object.entries(others),
  ...guides.map((page) => [`docs/${page}.md`, page] as const)
])

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}

/** Converts a link to its address on the site: a page, a picture, or a file in the repository. */
const linked = (from: string, link: string): string => {
  if (/^[a-z]+:|^#/.test(link)) return link
  const [path = "", anchor] = link.split("#")
  const file = posix.join(posix.dirname(from), path)
  const route = routes.get(file)
  if (route !== undefined) return `/${route === "index" ? "" : route}${anchor === undefined ? "" : `#${anchor}`}`
  if (/^docs\/(?:pictures\/|openapi\.json)/.test(file)) return file.replace(/^docs/, "")
  if (/^packages\/node\/observability\/./.test(file)) return file.replace(/^packages\/node/, "")
  if (!existsSync(join(root, file))) throw new Error(`${from} links to ${link}, which does not exist`)
  return `${address}/${statSync(join(root, file)).isDirectory() ? "tree" : "blob"}/main/${file}`
}

const page = (file: string): string =>
  readFileSync(join(root, file), "utf8")
    .replace(/(\]\()([^)\s]+)(\))/g, (_, before: string, link: string, after: string) =>
      before + linked(file, link) + after)
    // Removes markers for tests.
    .replaceAll("```ts import.meta.vitest", "```ts")
    .replaceAll(/(?:^<!-- shown by .* -->\n)+\n?/gm, "")

const headOf = (text: string) => {
  const [, title = ""] = /^# (.+)$/m.exec(text) ?? []
  const [, summary = ""] = /^# .+\n\n((?:.+\n)+)/m.exec(text) ?? []
  return { title, summary: summary.replace(/\s+/g, " ").trim() }
}

/** The home page: summary, reasons and first examples of README.md. */
const home = (): string => {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const { summary, title } = headOf(readme)
  const plain = summary.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
  const reasons = Array.from(
    readme.matchAll(/^- \*\*(.+?)\.\*\* (.+)$/gm),
    ([, name, details]) => ({ title: name, details })
  )
    .slice(0, 3)
  const [effect = "", promises = ""] = Array.from(
    readme.matchAll(/^```ts import\.meta\.vitest\n([^]*?)^```$/gm),
    ([, code]) => code
  )
  const head = {
    layout: "home",
    hero: {
      name: title,
      text: plain.slice(0, plain.indexOf(":")),
      tagline: `F${plain.slice(plain.indexOf(":") + 3)}`,
      image: logo,
      actions: [
        { text: "Getting started", link: "/getting-started" },
        { text: "Without Effect", link: "/without-effect", theme: "alt" },
        { text: "API", link: "/api/", theme: "alt" }
      ]
    },
    features: reasons
  }
  return `---
${JSON.stringify(head)}
---

## Correct a text

Both programs call the fake of the service, so they run without a key.

::: code-group

\`\`\`ts [Effect]
${effect}\`\`\`

\`\`\`ts [Promises]
${promises}\`\`\`

:::

[What it does, a comparison, and its costs](/${overview})
`
}

rmSync(target, { recursive: true, force: true })
write("index.md", home())
for (const [file, route] of routes) write(`${route}.md`, page(file))
cpSync(join(root, "docs/pictures"), join(target, "public/pictures"), { recursive: true })
cpSync(join(root, "docs/openapi.json"), join(target, "public/openapi.json"))
cpSync(join(root, "packages/node/observability"), join(target, "public/observability"), { recursive: true })
const modules = await makeReference()
for (const { name, text } of modules) write(`api/${name}.md`, text)
write(
  "api/index.md",
  [
    "# API reference",
    "Each public module of the packages, with the import of the same path: `@effect-lingua/core/texts/Translation`.",
    ...Array.from(
      Map.groupBy(modules, ({ name }) => name.slice(0, name.lastIndexOf("/"))),
      ([folder, own]) =>
        `## ${folder}\n\n${
          own.map(({ name, summary }) => `- [${name.slice(folder.length + 1)}](/api/${name}): ${summary}`).join("\n")
        }`
    )
  ].join("\n\n") + "\n"
)
write("api/modules.json", JSON.stringify(modules.map(({ name }) => name)))

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
  `${globSync("dist/**/*.html", { cwd: import.meta.dirname }).length} pages in ${relative(".", "tools/site/dist")}\n`
)
