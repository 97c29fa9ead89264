// The server against the official client.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Script from "@effect-lingua/testing/faults/Script"
import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect, Schema } from "effect"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { folder, until } from "../../../../packages/node/test/support/documents.ts"
import { live } from "../../../../test/support/tests.ts"
import { inProcess, withoutCache } from "../support/cli.ts"
import { key, test } from "../support/cliFake.ts"
import { bin, startCli } from "../support/cliProcess.ts"

const Called = Schema.Struct({
  isError: Schema.optional(Schema.Boolean),
  content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }))
})

const connect = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  const { url } = yield* FakeLanguageService
  const home = yield* folder
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", ...args],
    env: {
      ...withoutCache,
      HOME: home,
      LANGUAGE_SERVICE_KEY: key,
      LANGUAGE_SERVICE_BASE_URL: url
    },
    stderr: "ignore"
  })
  const client = new Client({ name: "test", version: "1.0.0" })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(transport)),
    () => Effect.promise(() => client.close())
  )
  /** What a tool says, and whether it is a failure. */
  const call = Effect.fnUntraced(function*(name: string, given: Record<string, unknown> = {}) {
    const result = Schema.decodeUnknownSync(Called)(
      yield* Effect.promise(() => client.callTool({ name, arguments: given }))
    )
    return { isError: result.isError ?? false, text: result.content.map(({ text }) => text).join("") }
  })
  const json = (name: string, given?: Record<string, unknown>) =>
    Effect.map(call(name, given), ({ text }): unknown => JSON.parse(text))
  return { call, client, json, transport }
})

const ask = (path: string) => ({ path, target_language: "en-US" })

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.concurrent("mcp", () => {
  test("lists its tools, which change nothing by default, and answers each", function*() {
    const { client, json } = yield* connect()
    const { tools } = yield* Effect.promise(() => client.listTools())
    assert.deepStrictEqual(
      tools.map(({ name }) => name).toSorted(),
      [
        "correct",
        "detect_language",
        "list_glossaries",
        "list_languages",
        "list_style_rules",
        "rephrase",
        "translate",
        "usage"
      ]
    )
    for (const { annotations, inputSchema, name } of tools) {
      assert.isTrue(annotations?.readOnlyHint, name)
      assert.strictEqual(inputSchema.type, "object")
    }
    assert.deepStrictEqual(yield* json("translate", { texts: ["Guten Tag"], target_language: "en-US" }), [
      { text: "[en-US] Guten Tag", source_language: "DE" }
    ])
    assert.deepStrictEqual(yield* json("correct", { texts: ["teh house"] }), ["The house."])
    assert.deepStrictEqual(yield* json("rephrase", { texts: ["teh house"], style: "business" }), [
      "The house. Kind regards."
    ])
    assert.deepStrictEqual(yield* json("detect_language", { texts: ["Guten Morgen", "12345"] }), ["de", null])
    assert.deepInclude(yield* json("list_languages", { resource: "write" }), {
      code: "de",
      name: "German",
      usable_as_source: true,
      usable_as_target: true
    })
    assert.deepStrictEqual(yield* json("list_glossaries"), [])
    assert.deepStrictEqual(yield* json("list_style_rules"), [])
    assert.hasAllKeys(yield* json("usage"), ["used", "left"])
  })

  live("answers lines that are no messages, and goes on", function*() {
    const { child } = yield* startCli(["mcp", "--fake"], { env: { HOME: yield* folder } })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = Effect.map(Effect.promise(() => lines.next()), ({ value }): unknown => JSON.parse(String(value)))
    child.stdin.write("broken\n\n[\n5\nnull\n{}\n{\"jsonrpc\":\"2.0\",\"id\":1}\n")
    for (const code of [-32_700, -32_700, -32_600, -32_600, -32_600, -32_600]) {
      assert.nestedPropertyVal(yield* next, "error.code", code)
    }
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
    assert.nestedPropertyVal(yield* next, "result.serverInfo.name", "effect-lingua")
    child.stdin.end()
  })

  test("gives advice for a failure, and refuses wrong arguments", function*() {
    const server = yield* FakeLanguageService
    const { call } = yield* connect("--characters", "20", "--attempts", "1")
    const unknown = yield* call("translate", { texts: ["a"], target_language: "xx" })
    assert.isTrue(unknown.isError)
    assert.include(unknown.text, "BadRequest")
    for (const status of [400, 403, 404, 429, 500, 503]) {
      yield* server.script({ fault: { status, description: `not with ${key} or ${btoa(key)}` } })
      const { isError, text } = yield* call("usage")
      assert.isTrue(isError)
      assert.include(text, "not with")
      assert.notInclude(text, key)
      assert.notInclude(text, btoa(key))
    }
    assert.isTrue((yield* call("translate", { texts: "a" })).isError)
    const spent = yield* call("translate", {
      texts: ["a text of more than twenty characters"],
      target_language: "de"
    })
    assert.isTrue(spent.isError)
    assert.include(spent.text, "BudgetExceeded")
  })

  test("creates and deletes only where that is allowed", function*() {
    const { call, client, json } = yield* connect("--allow-changes")
    const created = Schema.decodeUnknownSync(Schema.Struct({ glossary_id: Schema.String }))(
      yield* json("create_glossary", {
        name: "Terms",
        source_language: "en",
        target_language: "de",
        entries: [{ source: "artist", target: "Maler" }]
      })
    )
    assert.deepStrictEqual(yield* json("list_glossaries"), [{ ...created, name: "Terms", pairs: ["en to de"] }])
    assert.deepStrictEqual(yield* json("delete_glossary", created), { deleted: true })
    assert.isTrue((yield* call("delete_glossary", created)).isError)
    const { tools } = yield* Effect.promise(() => client.listTools())
    assert.deepInclude(tools.find(({ name }) => name === "delete_glossary")?.annotations, { destructiveHint: true })
  })

  test("translates documents of the folder, and none outside", function*() {
    const directory = yield* folder
    const allowed = join(directory, "allowed")
    mkdirSync(allowed)
    writeFileSync(join(allowed, "letter.txt"), "Guten Tag")
    writeFileSync(join(directory, "secret.txt"), "Geheim")
    symlinkSync(join(directory, "secret.txt"), join(allowed, "link.txt"))
    const { call, json } = yield* connect("--documents", allowed)
    assert.deepStrictEqual(yield* json("translate_document", ask("letter.txt")), { path: "letter.en-US.txt" })
    assert.strictEqual(readFileSync(join(allowed, "letter.en-US.txt"), "utf8"), "[en-US] Guten Tag")
    for (const path of ["../secret.txt", "link.txt", join(directory, "secret.txt"), "."]) {
      const { isError, text } = yield* call("translate_document", ask(path))
      assert.isTrue(isError, path)
      assert.include(text, "not in the allowed folder", path)
    }
    assert.include((yield* call("translate_document", ask("missing.txt"))).text, "There is no file missing.txt")
  })

  live("ends well when its input does", function*() {
    const { code, out } = yield* inProcess(["mcp", "--fake"])
    assert.deepStrictEqual({ code, out }, { code: 0, out: "" })
  })

  test("outlasts a cancelled call, and ends with its client", function*() {
    const { requests, script } = yield* FakeLanguageService
    const { client, json, transport } = yield* connect()
    yield* script(Script.next(1, Fault.slow("20 seconds")))
    const abort = new AbortController()
    const cancelled = client.callTool(
      { name: "translate", arguments: { texts: ["a"], target_language: "de" } },
      undefined,
      { signal: abort.signal }
    ).then(() => "answered", () => "cancelled")
    yield* Effect.repeat(Effect.delay(requests, "10 millis"), { until: ({ length }) => length === 1 })
    abort.abort()
    assert.strictEqual(yield* Effect.promise(() => cancelled), "cancelled")
    assert.deepStrictEqual(yield* json("detect_language", { texts: ["Guten Morgen"] }), ["de"])
    const { pid } = transport
    if (pid === null) return assert.fail("there is a process")
    yield* Effect.promise(() => client.close())
    yield* until(() => !isRunning(pid))
  })
})
