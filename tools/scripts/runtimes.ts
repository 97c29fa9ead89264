// Runs a program with the packed packages on all runtimes: npm packages, and Chromium if installed.
import { build } from "esbuild"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { install, installed, pack } from "./packing.ts"

const versions = {
  node22: "npm:node@22.19.0",
  node24: "npm:node@24.21.0",
  node26: "npm:node@26.9.0",
  bun: "1.4.5",
  deno: "2.9.6",
  miniflare: "4.20260730.0"
}

/** A version of Node.js that is too old for the packages, which the command line must report. */
const oldNode = "npm:node@20.20.2"

const document = "The letter. [en-GB] Guten Tag"
/** Expected output: from the in-process fake, and from a service over `fetch`. */
const everywhere = JSON.stringify([document, document])
/** Expected output, including the client of `@effect-lingua/node`. */
const withNode = JSON.stringify([document, document, "The letter."])

const limit = 120_000
const folder = mkdtempSync(join(tmpdir(), "runtimes-"))
const execute = promisify(execFile)

/** Returns a command's standard output and standard error. */
const outputWith = async (variables: object, ...[command = "", ...args]: ReadonlyArray<string>) => {
  const env = { ...process.env, NO_COLOR: "1", ...variables }
  const { stderr, stdout } = await execute(command, args, { cwd: folder, env, timeout: limit, encoding: "utf8" })
    .catch((error: { readonly stdout: string; readonly stderr: string }) => error)
  return `${stdout}${stderr}`.trim()
}

const output = (...command: ReadonlyArray<string>) => outputWith({}, ...command)

const bin = (name: string) => join(folder, "node_modules/.bin", name)
const node = (name: string) => join(folder, `node_modules/${name}/bin/node`)
const cli = join(folder, "node_modules/@effect-lingua/cli/bundle/bin.js")

const prepare = () => {
  const tarballs = pack(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const runtimes = Object.entries({ ...versions, node20: oldNode }).map(([name, version]) => `${name}@${version}`)
  install(folder, ...tarballs, ...["effect", "@effect/platform-node"].map(installed), ...runtimes)
  for (const file of globSync("tools/scripts/runtimes/*")) copyFileSync(file, join(folder, file.replace(/^.*\//, "")))
}

/** Bundles the program for a platform without packages. */
const bundle = async (entry: string) => {
  const { outputFiles: [file] } = await build({
    stdin: { contents: entry, resolveDir: folder, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    write: false
  })
  return file?.text ?? ""
}

/** Runs `process.ts` as an ES module bundle on Node.js. */
const bundled = async (banner: string, url: string) => {
  const outfile = join(folder, "bundle.mjs")
  const entryPoints = [join(folder, "process.ts")]
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", banner: { js: banner } })
  return await output(node("node24"), outfile, url)
}

/** Starts the fake in a separate process, so that no client can block the fake. */
const startFake = async () => {
  const child = spawn(node("node24"), [bin("fake-language-service"), "--port", "0", "--ready-after", "100 millis"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = await once(child.stdout, "data")
  const [url] = /http:\/\/[\d.:]+/.exec(String(line)) ?? []
  if (url === undefined) throw new Error(`The fake did not start: ${line}`)
  return { url, stop: () => child.kill() }
}

/** Returns the host that the client of `@effect-lingua/node` requests from a proxy of the environment. The proxy refuses the request. */
const askedOfProxy = async (runtime: string) => {
  const asked: Array<string | undefined> = []
  const server = createServer().on("connect", (request, socket) => {
    asked.push(request.url)
    // The client may reset the connection.
    socket.on("error", () => {}).end("HTTP/1.1 403 Forbidden\r\n\r\n")
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  await outputWith({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, bin(runtime), "process.ts", "https://service.example")
  server.close()
  return asked[0] ?? "none"
}

const onWorkerd = async (url: string) => {
  const script = await bundle(
    `import { run } from "./program.ts"\nexport default { fetch: async () => Response.json(await run("${url}")) }`
  )
  const { Miniflare } = createRequire(join(folder, "package.json"))("miniflare")
  const worker = new Miniflare({ modules: true, script, compatibilityDate: "2026-06-01" })
  try {
    return String(await (await worker.dispatchFetch("http://worker.test/")).text())
  } finally {
    await worker.dispose()
  }
}

/** Runs the program in a page whose origin differs from the service's origin. */
const inChromium = async (url: string) => {
  const script = await bundle(
    `import { run } from "./program.ts"\n` +
      `run("${url}", false).then(JSON.stringify, String).then((text) => { document.body.textContent = text })`
  )
  const server = createServer((request, response) => {
    const isScript = request.url === "/script.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8")
    response.end(isScript ? script : `<!doctype html><body><script type="module" src="/script.js"></script>`)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
  const page = await output("chromium", ...flags, `http://localhost:${port}/`)
  server.close()
  return (/<body>(.*?)<\/body>/s.exec(page)?.[1] ?? page).trim()
}

const hasChromium = (await output("which", "chromium")) !== ""

prepare()
const { stop, url } = await startFake()
const flags = ["correct", "--fake", "--quiet", "teh letter"]
const told = "The letter."
const [, banner = ""] = /--banner:js='(.*)'/.exec(readFileSync("docs/servers.md", "utf8")) ?? []
const needsNewer = /needs Node\.js 22\.19 or newer, and this is 20/
const checks: ReadonlyArray<readonly [what: string, expected: string | RegExp, run: () => Promise<string>]> = [
  ...["node22", "node24", "node26"].flatMap((name) =>
    [
      [`${name}: the program`, withNode, () =>
        output(node(name), "--experimental-strip-types", "--no-warnings", "process.ts", url)],
      [`${name}: require`, told, () =>
        output(node(name), "required.cjs")],
      [`${name}: the command line`, told, () =>
        output(node(name), cli, ...flags)]
    ] as const
  ),
  ["node24: a bundle with the banner of docs/servers.md", withNode, () => bundled(banner, url)],
  ["node24: a bundle without it", /needs a banner that defines `require`/, () => bundled("", url)],
  ["Bun: the program", withNode, () => output(bin("bun"), "process.ts", url)],
  [
    "Bun: no proxy, which it cannot promise",
    /setting: "pool\.proxy"/,
    () => output(bin("bun"), "process.ts", url, "none")
  ],
  ["Bun: the proxy of HTTPS_PROXY", "service.example:443", () => askedOfProxy("bun")],
  ["Bun: the command line", told, () => output(bin("bun"), cli, ...flags)],
  ["Deno: the program", withNode, () => output(bin("deno"), "run", "--allow-all", "process.ts", url)],
  ["Deno: the command line", told, () => output(bin("deno"), "run", "--allow-all", cli, ...flags)],
  ["Node.js 20: the command line", needsNewer, () => output(node("node20"), cli, ...flags)],
  ["Node.js 20: the layer", needsNewer, () => output(node("node20"), "--eval", `import("@effect-lingua/node")`)],
  ["workerd: the program", everywhere, () => onWorkerd(url)],
  ...(hasChromium ? [["Chromium: the program, from another origin", everywhere, () => inChromium(url)] as const] : [])
]

const print = (line: string) => process.stdout.write(`${line}\n`)

let failed = 0
for (const [what, expected, run] of checks) {
  // oxlint-disable-next-line no-await-in-loop -- sequential, because each check has a timeout
  const text = await run().catch(String)
  const isRight = typeof expected === "string" ? text === expected : expected.test(text)
  if (!isRight) failed++
  print(isRight ? `passed  ${what}` : `FAILED  ${what}: ${text.slice(0, 2000)}`)
}
stop()
rmSync(folder, { recursive: true, force: true })
print(`${checks.length - failed} passed, ${failed} failed`)
if (!hasChromium) {
  print("Not tested on this machine: the packages in Chromium (apt-get install chromium)")
}
process.exitCode = failed === 0 ? 0 : 1
