import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { logo } from "../logo.ts"
import { contributors, overview, sections } from "../pages.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")
const { repository, version } = JSON.parse(read("../../../packages/core/package.json"))
const modules: ReadonlyArray<string> = JSON.parse(read("../pages/api/modules.json"))

const titleOf = (name: string): string =>
  name === overview ? "Overview" : /^# (.+)$/m.exec(read(`../pages/${name}.md`))?.[1] ?? name

const packages = Array.from(Map.groupBy(modules, (name) => name.split("/")[0] ?? name), ([name, own]) => ({
  text: name,
  collapsed: true,
  items: own.map((module) => ({ text: module.slice(name.length + 1), link: `/api/${module}` }))
}))

const itemsOf = (pages: ReadonlyArray<string>) => pages.map((name) => ({ text: titleOf(name), link: `/${name}` }))

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
  // The settings of the theme's file, whose tsconfig.json is for a newer compiler.
  vite: { esbuild: { tsconfigRaw: {} } },
  head: [["link", { rel: "icon", href: logo.light }]],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // Indented code looks and scrolls as fenced code does.
    config: (markdown) => {
      markdown.core.ruler.push("indented_code", ({ tokens }) => {
        for (const token of tokens) if (token.type === "code_block") token.type = "fence"
      })
      // The names of the columns, which a small screen shows in each cell.
      markdown.core.ruler.push("labels", ({ tokens }) => {
        let names: Array<string> = []
        let column = 0
        for (const [index, token] of tokens.entries()) {
          if (token.type === "table_open") names = []
          else if (token.type === "tr_open") column = 0
          else if (token.type === "th_open") names.push(tokens[index + 1]?.content.replace(/[`*\\]/g, "") ?? "")
          else if (token.type === "td_open") token.attrSet("data-label", names[column++] ?? "")
        }
      })
      const { code_inline: inline, fence } = markdown.renderer.rules
      // Long names break between their words.
      markdown.renderer.rules.code_inline = (tokens, index, ...rest) => {
        const html = inline?.(tokens, index, ...rest) ?? ""
        return (tokens[index]?.content.length ?? 0) < 16
          ? html
          : html.replace(/[a-z](?=[A-Z])|[_.](?=\w)|(?<!<)\/(?=\w)/g, "$&<wbr>")
      }
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { content = "", info } = tokens[index] ?? {}
        const html = fence?.(tokens, index, ...rest) ?? ""
        // Tables of a terminal keep their lines, unless they are longer than those of a page.
        const columns = info === "" && /\S {3,}[^\s#]/.test(content) && !/.{100}/.test(content)
        const screen = columns || /[\u2500-\u259f]/.test(content)
        return screen ? html.replace("class=\"", "class=\"screen ") : html
      }
    }
  },
  themeConfig: {
    logo,
    search: {
      provider: "local",
      options: {
        // Of the reference the names of modules, exports and methods, in a tenth of the download.
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env)
          return env.relativePath.startsWith("api/")
            ? (html.match(/<h[13] .*?<\/h[13]>|<h5 id="method-.*?<\/h5>/gs) ?? []).join("\n") + "\n"
            : html
        },
        miniSearch: {
          options: {
            // Sent to the browser as text, so it refers to nothing outside.
            processTerm: (term) =>
              /^(?:an?|and|are|at|by|can|do|does|for|from|how|i|if|in|is|it|its|my|of|on|or|that|the|to|what|when|which|with)$/i
                  .test(term)
                ? null
                : term.toLowerCase()
          },
          searchOptions: {
            fuzzy: 0.1,
            // Tasks before the reference, and that before details and the pages of contributors.
            boostDocument: (id) =>
              /\/(?:contributing|architecture|decisions|testing\/|cli-|code-of)/.test(id)
                ? 0.4
                : id.includes("/api/") && !id.includes("#method-")
                ? 0.7
                : /\/(?:cookbook|testing\.|without-effect|resilience|usage)/.test(id)
                ? 1.5
                : 1
          }
        }
      }
    },
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "API", link: "/api/" },
      {
        text: `v${version}`,
        items: [
          { text: "Versions", link: "/getting-started#versions" },
          { text: "All releases", link: `${String(repository.url).replace(/^git\+|\.git$/g, "")}/releases` }
        ]
      }
    ],
    sidebar: {
      "/api/": packages,
      ...Object.fromEntries(
        contributors.pages.map((name) => [
          `/${name}`,
          [{ text: contributors.text, items: itemsOf(contributors.pages) }, { text: "Guide", link: "/getting-started" }]
        ])
      ),
      "/": sections.map(({ pages, text }, index) => ({ text, collapsed: index > 1, items: itemsOf(pages) }))
    },
    outline: [2, 3],
    footer: { message: "MIT. Not affiliated with any vendor of such a service." }
  }
})
