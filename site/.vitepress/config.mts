import { renderMermaidSVG } from "beautiful-mermaid"
import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { sections } from "../pages.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")
const { repository, version } = JSON.parse(read("../../packages/core/package.json"))
const modules: ReadonlyArray<string> = JSON.parse(read("../pages/api/modules.json"))

const titleOf = (name: string): string => /^# (.+)$/m.exec(read(`../pages/${name}.md`))?.[1] ?? name

/** The notes of each release, the newest first. */
const releases = sections.flatMap(({ pages }) => pages).filter((name) => name.startsWith("releases/"))

const packages = Array.from(Map.groupBy(modules, (name) => name.split("/")[0] ?? name), ([name, own]) => ({
  text: name,
  collapsed: true,
  items: own.map((module) => ({ text: module.slice(name.length + 1), link: `/api/${module}` }))
}))

const icon =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3451b2"/>`
  + `<path d="M4 4h8M4 8h5M4 12h8" stroke="#fff" stroke-width="2"/></svg>`

/** A Mermaid diagram as a picture in the colors of the page, without the font of a foreign host. */
const diagram = (source: string): string => {
  const svg = renderMermaidSVG(source, {
    bg: "var(--vp-c-bg)",
    fg: "var(--vp-c-text-1)",
    line: "var(--vp-c-text-2)",
    accent: "var(--vp-c-brand-1)",
    transparent: true
  }).replace(/@import [^\n]+/, "").replace(
    "style=\"",
    "role=\"img\" aria-label=\"A diagram of states\" style=\"max-width:100%;height:auto;"
  )
  return `<div v-html="${JSON.stringify(svg).replaceAll("&", "&amp;").replaceAll("\"", "&quot;")}"></div>`
}

export default defineConfig({
  title: "Effect Lingua",
  description:
    "A typed, resilient TypeScript client for translation and writing services with a DeepL-compatible interface",
  lang: "en",
  // The path below which the site is served, such as "/effect-lingua/".
  base: process.env["SITE_BASE"] ?? "/",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: ".cache",
  // Files for agents, which are served as they are.
  srcExclude: ["public/**"],
  head: [["link", { rel: "icon", href: "data:image/svg+xml," + encodeURIComponent(icon) }]],
  markdown: {
    // Indented code looks and scrolls as fenced code does.
    config: (markdown) => {
      markdown.core.ruler.push("indented_code", ({ tokens }) => {
        for (const token of tokens) if (token.type === "code_block") token.type = "fence"
      })
      const { fence } = markdown.renderer.rules
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { content = "", info } = tokens[index] ?? {}
        return info === "mermaid" ? diagram(content) : fence?.(tokens, index, ...rest) ?? ""
      }
    }
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        // Of the reference the headings only: they name all that there is, in a tenth of the download.
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env)
          return env.relativePath.startsWith("api/") ? (html.match(/<h\d.*?<\/h\d>/gs) ?? []).join("") : html
        }
      }
    },
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "API", link: "/api/" },
      {
        text: `v${version}`,
        items: [
          ...releases.map((name) => ({ text: titleOf(name), link: `/${name}` })),
          { text: "Versions and support", link: "/versions" },
          { text: "All releases", link: `${String(repository.url).replace(/^git\+|\.git$/g, "")}/releases` }
        ]
      }
    ],
    sidebar: {
      "/api/": packages,
      "/": sections.map(({ pages, text }) => ({
        text,
        items: pages.map((name) => ({ text: titleOf(name), link: `/${name}` }))
      }))
    },
    outline: [2, 3],
    footer: { message: "MIT. Not affiliated with any vendor of such a service." }
  }
})
