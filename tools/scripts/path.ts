/**
 * Counts the packages' files and functions that run in one warm call over a socket, with V8's precise coverage.
 *
 *     node tools/scripts/path.ts          the path of `rephrase("text")`, file by file
 *     node tools/scripts/path.ts list     of `rephrase(["text"])`
 *     node tools/scripts/path.ts --json   the sums
 */
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import { createServer } from "node:http"
import { Session } from "node:inspector/promises"

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({
      improvements: [{ text: "text", detected_source_language: "en", target_language: "en-US" }]
    }))
  })
})
await once(server.listen(0, "127.0.0.1"), "listening")
const address = server.address()
if (address === null || typeof address === "string") throw new Error("the server has no port")
const runtime = ManagedRuntime.make(
  NodeLanguageService.layer({ baseUrl: `http://127.0.0.1:${address.port}`, key: Redacted.make("key") })
)
const isList = process.argv.includes("list")
const call = (): Promise<unknown> =>
  isList
    ? runtime.runPromise(Writing.use(({ rephrase }) => rephrase({ text: ["text"], tone: "friendly" })))
    : runtime.runPromise(Writing.use(({ rephrase }) => rephrase("text", { tone: "friendly" })))
// oxlint-disable-next-line no-await-in-loop -- one call after the other
for (let n = 0; n < 3; n++) await call()

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
const measureCall = async () => {
  await session.post("Profiler.takePreciseCoverage")
  await call()
  const { result } = await session.post("Profiler.takePreciseCoverage")
  const rows = result.flatMap(({ functions, url }) => {
    const [, file] = /\/((?:packages|extensions)\/[^/]+\/src\/.*)$/.exec(url) ?? []
    const count = functions.filter(({ ranges: [range] }) => range !== undefined && range.count > 0).length
    return file === undefined || count === 0 ? [] : [{ file, count }]
  }).toSorted((one, other) => one.file < other.file ? -1 : 1)
  return { rows, functions: rows.reduce((total, { count }) => total + count, 0) }
}
// A timer of the client may run during a call, so the smallest of many measurements counts: on a busy machine most have one.
let { functions, rows } = await measureCall()
for (let n = 0; n < 40; n++) {
  // oxlint-disable-next-line no-await-in-loop -- one call after the other
  const other = await measureCall()
  if (other.functions < functions) ({ functions, rows } = other)
}
if (process.argv.includes("--json")) process.stdout.write(JSON.stringify([rows.length, functions]))
else {
  for (const { count, file } of rows) process.stdout.write(`${String(count).padStart(4)}  ${file}\n`)
  process.stdout.write(`${rows.length} files, ${functions} functions\n`)
}
await runtime.dispose()
server.close()
