// Checks the built site in a browser: pages, links, anchors, services in the API reference, search, a small screen, and keyboard use.
import { once } from "node:events"
import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

const executablePath = "/usr/bin/chromium"
if (!existsSync(executablePath)) {
  process.stdout.write("Not tested on this machine: the site in Chromium (apt-get install chromium)\n")
  process.exit()
}

const dist = join(import.meta.dirname, "dist")
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json"
}

const server = createServer(({ url = "/" }, response) => {
  const path = decodeURIComponent(url.replace(/[?#].*/, "")).replace(/\/$/, "/index.html")
  try {
    const body = readFileSync(join(dist, path))
    response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain; charset=utf-8" }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})
await once(server.listen(0, "127.0.0.1"), "listening")
const address = server.address()
const origin = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : ""

const problems: Array<string> = []

const open = async (browser: Browser, width: number, javaScriptEnabled = true): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width, height: 800 }, javaScriptEnabled })
  const report = (text: string) => problems.push(`${page.url().slice(origin.length)}: ${text}`)
  page.on("console", (message) => {
    if (message.type() === "error") report(message.text())
  })
  page.on("pageerror", ({ message }) => report(message))
  page.on("request", (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(origin)) {
      report(`a request to ${request.url()}`)
    }
  })
  return page
}

const paths = globSync("**/*.html", { cwd: dist }).filter((path) => path !== "404.html").toSorted()
const anchors = new Map<string, ReadonlySet<string>>()
const links: Array<{ readonly from: string; readonly to: URL }> = []

/** Opens a page, and waits until it is interactive. */
const load = async (page: Page, path: string) => {
  await page.goto(`${origin}/${path}`)
  await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}))
}

/** Opens a page on a small screen, and collects its anchors and links. */
const visit = async (page: Page, path: string, isInteractive: boolean) => {
  await (isInteractive ? load(page, path) : page.goto(`${origin}/${path}`))
  const found = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    ids: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
    links: Array.from(document.links, ({ href }) => href),
    pictures: Array.from(document.images).filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src)
  }))
  anchors.set(`/${path}`, new Set(found.ids))
  await checkWidths(page)
  if (found.width > 360) problems.push(`/${path}: ${found.width} pixels wide on a screen of 360`)
  for (const picture of found.pictures) problems.push(`/${path}: the picture ${picture} does not load`)
  for (const link of new Set(found.links)) links.push({ from: `/${path}`, to: new URL(link) })
}

const checkLinks = () => {
  for (const { from, to } of links) {
    if (to.origin !== origin) continue
    const path = to.pathname.replace(/\/$/, "/index.html")
    const ids = anchors.get(path)
    if (ids === undefined && !existsSync(join(dist, path))) {
      problems.push(`${from}: a link to ${to.pathname}, which is missing`)
    }
    const id = decodeURIComponent(to.hash.slice(1))
    if (ids !== undefined && id !== "" && !ids.has(id)) {
      problems.push(`${from}: a link to ${path}${to.hash}, which is no heading`)
    }
  }
}

/** Opens a search result and switches to the dark mode, with the keyboard only. */
const useKeyboard = async (page: Page) => {
  await load(page, "index.html")
  await page.keyboard.press("Control+k")
  const results = page.locator(".VPLocalSearchBox .result")
  await page.locator(".VPLocalSearchBox input").waitFor()
  await page.keyboard.type("QuotaExceeded")
  await results.first().waitFor()
  const count = await results.count()
  await page.keyboard.press("Enter")
  await page.waitForURL((url) => url.pathname !== "/index.html")
  const text = await page.locator("main").innerText()
  if (!text.includes("QuotaExceeded")) {
    problems.push(`the first of ${count} results for QuotaExceeded, ${page.url()}, does not name it`)
  }

  await load(page, "getting-started.html")
  const focused: Array<string> = []
  const tab = async (presses: number): Promise<void> => {
    if (presses === 0) return
    await page.keyboard.press("Tab")
    const { name, outline } = await page.evaluate(() => {
      const element = document.activeElement
      const label = element?.getAttribute("aria-label") ?? element?.getAttribute("title") ?? element?.textContent ?? ""
      return { name: label.trim(), outline: element === null ? "none" : getComputedStyle(element).outlineStyle }
    })
    if (name !== "" && outline === "none") problems.push(`the focus on "${name}" cannot be seen`)
    focused.push(name)
    if (/dark theme/i.test(name)) await page.keyboard.press("Enter")
    await tab(presses - 1)
  }
  await tab(60)
  for (const name of ["Skip to content", "Guide", "API"]) {
    if (!focused.includes(name)) problems.push(`Tab does not reach ${name}`)
  }
  if (await page.locator("html.dark").count() === 0) problems.push("the dark mode cannot be chosen by keyboard")
}

/** Search terms, with the pages that may be the first result. */
const searches: ReadonlyArray<readonly [string, RegExp]> = [
  ["CorrectOptions", /^\/api\/core\/texts\/Writing\.html#correctoptions/],
  ["translateAll", /^\/api\/core\/texts\/Translation\.html#method-translateall|^\/texts\.html/],
  ["GlossaryId", /^\/api\/core\/(?:contract\/Ids|glossaries\/Glossaries)\.html#glossaryid/],
  ["how to cancel", /^\/cookbook\.html#cancel-a-call/],
  ["AbortSignal", /^\/(?:cookbook|without-effect)\.html/],
  ["retry", /^\/resilience\.html/],
  ["rate limit", /^\/(?:resilience|servers)\.html/],
  ["quota", /^\/(?:usage|errors|overview)\.html/],
  ["fake", /^\/(?:testing|getting-started\.html#call-the-fake)/],
  ["promises", /^\/without-effect\.html/],
  ["express", /^\/without-effect\.html/],
  ["timeout", /^\/(?:resilience|without-effect)\.html/],
  ["InvalidKey", /^\/(?:errors|api\/core\/errors\/ServiceError)\.html/],
  ["python", /^\/(?:texts|testing\/fake)\.html/],
  ["docker", /^\/production\.html/],
  ["document lost", /^\/(?:documents|durable-documents|errors)\.html/]
]

const search = async (page: Page) => {
  await load(page, "index.html")
  await page.keyboard.press("Control+k")
  const input = page.locator(".VPLocalSearchBox input")
  const results = page.locator(".VPLocalSearchBox .result")
  const next = async (index: number): Promise<void> => {
    const [query, expected] = searches[index] ?? []
    if (query === undefined || expected === undefined) return
    await input.fill("")
    await page.waitForFunction(() => document.querySelector(".VPLocalSearchBox .result") === null)
    await input.fill(query)
    await results.first().waitFor()
    const first = await results.first().getAttribute("href") ?? ""
    if (!expected.test(first)) problems.push(`the first result for "${query}" is ${first}`)
    await next(index + 1)
  }
  await next(0)
}

/** Checks that each method of docs/services.md has documentation on its service's page. */
const checkServices = () => {
  const [, table = ""] = /^(\| Service [^]*?)\n\n/m.exec(
    readFileSync(join(import.meta.dirname, "../../docs/services.md"), "utf8")
  ) ?? []
  const services = Array.from(table.matchAll(/^\| `(\w+)` +\| (.+) \|$/gm), ([, name = "", methods = ""]) => ({
    name,
    methods: Array.from(methods.matchAll(/`([a-z]\w*)`/g), ([, method = ""]) => method)
  }))
  if (services.length < 15) problems.push(`docs/services.md has ${services.length} services`)
  for (const { methods, name } of services) {
    const [path = ""] = globSync(`api/{core/*,voice}/${name}.html`, { cwd: dist })
    const html = path === "" ? "" : readFileSync(join(dist, path), "utf8")
    for (const method of methods) {
      const [, entry = ""] = html.split(`<h5 id="method-${method.toLowerCase()}"`)
      if (!/<\/blockquote>.*?<p>\w/s.test(entry.split("<h5")[0] ?? "")) {
        problems.push(`/${path}: ${name}.${method} has no entry with a text`)
      }
    }
  }
  const promises = readFileSync(join(dist, "api/core/promise.html"), "utf8").replaceAll(/<[^>]*>/g, "")
  for (const text of ["translateAll(texts: Iterable", "rephraseAll(texts: Iterable", "listSegments(options: "]) {
    if (!promises.includes(text)) problems.push(`/api/core/promise.html: "${text}" is missing`)
  }
  const translation = readFileSync(join(dist, "api/core/texts/Translation.html"), "utf8")
  for (
    const text of [
      "Translates one text, or each text of a list independently in one request.",
      "Translates texts to several languages, with one request per target",
      "Translates any number of texts"
    ]
  ) {
    if (!translation.includes(text)) problems.push(`/api/core/texts/Translation.html: "${text}" is missing`)
  }
}

/** Returns code blocks, except screens, and tables that are wider than the page. */
const cut = () =>
  Array.from(document.querySelectorAll(".vp-doc [class*=language-]:not(.screen) pre, .vp-doc table"))
    .filter((element) => {
      const { right } = element.getBoundingClientRect()
      return element.scrollWidth > element.clientWidth + 1
        || right > (element.parentElement?.getBoundingClientRect().right ?? 0) + 1
    })
    .map(({ textContent }) => textContent.trim().slice(0, 40))

const checkWidths = async (page: Page) => {
  for (const text of await page.evaluate(cut)) problems.push(`${page.url().slice(origin.length)}: "${text}" is cut`)
}

const takePictures = async (browser: Browser, folder: string) => {
  mkdirSync(folder, { recursive: true })
  const looks = [[1280, "light"], [1280, "dark"], [360, "light"]] as const
  await Promise.all(
    ["index", "getting-started", "errors", "resilience", "documents", "api/core/texts/Translation"].flatMap((path) =>
      looks.map(async ([width, colorScheme]) => {
        const page = await open(browser, width)
        await page.emulateMedia({ colorScheme })
        await load(page, `${path}.html`)
        await page.screenshot({ path: join(folder, `${path.replaceAll("/", "-")}-${width}-${colorScheme}.png`) })
        await page.close()
      })
    )
  )
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
const visitAll = async (rest: Array<string>, isInteractive: boolean, page: Page): Promise<void> => {
  const path = rest.shift()
  if (path === undefined) return
  await visit(page, path, isInteractive)
  await visitAll(rest, isInteractive, page)
}
// Most pages of the API are visited without scripts, which take most of the time, because all are made by the same templates.
const isInteractive = (path: string, index: number) => !path.startsWith("api/") || index % 10 === 0
const { plain = [], interactive = [] } = Object.groupBy(
  paths,
  (path, index) => isInteractive(path, index) ? "interactive" : "plain"
)
await Promise.all([
  visitAll(interactive, true, await open(browser, 360)),
  visitAll(plain, false, await open(browser, 360, false))
])
checkLinks()
checkServices()
await useKeyboard(await open(browser, 1280))
await search(await open(browser, 1280))
const [, , folder] = process.argv
if (folder !== undefined) await takePictures(browser, folder)
await browser.close()
server.close()

for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`${paths.length} pages, ${links.length} links, ${problems.length} problems\n`)
process.exitCode = Math.min(1, problems.length)
