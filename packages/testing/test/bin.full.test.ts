// The executable as a process of its own, on a real socket.
import { FakeLanguageService, NodeFakeLanguageService, RemoteFakeLanguageService } from "@effect-lingua/testing"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundled } from "../../../test/support/bundled.ts"
import { ending, startNode } from "../../../test/support/processes.ts"
import { folder } from "../../node/test/support/documents.ts"
import { client, send } from "./support/client.ts"

const bin = await bundled(new URL("../src/bin.ts", import.meta.url))

/** A process takes a second or two to start, and more on a machine that has other things to do. */
const timeout = 120_000

const startBin = (args: ReadonlyArray<string>, variables: NodeJS.ProcessEnv = { DEEPL_MOCK_PROXY_SERVER_PORT: "0" }) =>
  startNode(bin, args, variables)

/** Starts it with what makes no sense. */
const refused = (...start: Parameters<typeof startBin>) => Effect.scoped(Effect.flatMap(startBin(...start), ending))

/** Starts it at a free port, and gives its first line once it is there. */
const started = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  const process = yield* startBin(["--port", "0", ...args])
  const first = once(process.child.stdout, "data").then(String)
  const line = yield* Effect.promise(() => Promise.race([first, process.closed.then(() => process.said.err)]))
  return { ...process, line, url: /http:\/\/[\d.:]+/.exec(line)?.[0] ?? assert.fail(line) }
})

/** The handle of the process. */
const handleOf = (url: string) =>
  RemoteFakeLanguageService.layer({ url }).pipe(Layer.provideMerge(NodeHttpClient.layerNodeHttp))

const write = (name: string, value: unknown) =>
  Effect.map(folder, (directory) => {
    const file = join(directory, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  })

const body = `{"text":["teh house"]}`

describe.concurrent("fake-language-service", () => {
  it.live(
    "prints one line, serves, and ends well when it is told to",
    () =>
      Effect.forEach(["SIGINT", "SIGTERM"] as const, (signal) =>
        Effect.gen(function*() {
          const process = yield* started()
          const { child, url } = process
          yield* Effect.gen(function*() {
            assert.strictEqual((yield* (yield* client).Languages.resources()).length, 7)
            assert.strictEqual((yield* (yield* FakeLanguageService).requests).length, 1)
          }).pipe(Effect.provide(handleOf(url)))
          child.kill(signal)
          assert.deepStrictEqual(yield* ending(process), {
            code: 0,
            out:
              `Listening at ${url}, Authorization: Service-Auth-Key fake-key, docs at ${url}/docs, control at ${url}/_fake\n`,
            err: ""
          })
        }).pipe(Effect.scoped), { concurrency: "unbounded" }),
    timeout
  )

  it.live(
    "plays the script of a file, and writes requests without their secrets to stderr",
    () =>
      Effect.gen(function*() {
        const file = yield* write("faults.json", [
          { operation: "Writing.correct", fault: { status: 429, retryAfter: "2 seconds" } },
          { fault: { reset: true } }
        ])
        const process = yield* started("--script", file, "--verbose", "--key", "secret-key", "--auth-scheme", "Key")
        assert.include(process.line, "Authorization: Key secret-key,")
        yield* Effect.gen(function*() {
          const correct = send("POST", "/v2/write/correct", { body, headers: { authorization: "Key secret-key" } })
          assert.strictEqual((yield* correct).status, 429)
          yield* Effect.flip(correct)
          assert.strictEqual((yield* correct).status, 200)
          assert.strictEqual((yield* send("GET", "/v3/languages?resource=write")).status, 403)
        }).pipe(Effect.provide(handleOf(process.url)))
        process.child.kill()
        assert.deepStrictEqual((yield* ending(process)).err.split("\n"), [
          "POST /v2/write/correct 429 (fault: status 429, Retry-After 2s)",
          "POST /v2/write/correct connection reset (fault: connection reset)",
          "POST /v2/write/correct 200",
          "GET /v3/languages?resource=write 403",
          ""
        ])
      }).pipe(Effect.scoped),
    timeout
  )

  it.live("is set up by its flags", () =>
    Effect.gen(function*() {
      const weather = yield* write("weather.json", { rate503: 1, operations: ["Languages.resources"] })
      const taught = yield* write("taught.json", { phrases: { de: "Guten Tag" } })
      const flags = [
        "--taught",
        taught,
        "--quota",
        "9",
        "--ready-after",
        "1 hour",
        "--base-path",
        "/lingua",
        "--free-key",
        "free"
      ]
      const { line, url } = yield* started(...flags, "--seed", "monday", "--weather", weather, "--no-docs")
      assert.notInclude(line, "/docs")
      const seeded = yield* Effect.flatMap(FakeLanguageService, ({ addDocument }) => addDocument({ content: "a" }))
        .pipe(Effect.provide(FakeLanguageService.layer({ seed: "monday" })))
      yield* Effect.gen(function*() {
        const { addDocument, advance, documents, quota, url } = yield* FakeLanguageService
        assert.match(url, /\/lingua$/)
        assert.strictEqual((yield* quota()).characters, 9)
        assert.strictEqual((yield* send("GET", "/v3/languages/resources")).status, 503)
        const translate = { body: JSON.stringify({ text: ["a"], target_lang: "de" }) }
        assert.strictEqual((yield* send("POST", "/v2/translate", translate)).json.translations[0].text, "Guten Tag")
        const free = { headers: { authorization: "Service-Auth-Key free" }, body }
        assert.match((yield* send("POST", "/v2/write/correct", free)).json.message, /free tier/)
        assert.strictEqual((yield* send("POST", "/v3/detect/language", { body })).status, 200)
        assert.deepStrictEqual(yield* addDocument({ content: "a" }), seeded)
        assert.strictEqual((yield* documents)[0]?.status, "queued")
        yield* advance("1 hour")
        assert.strictEqual((yield* documents)[0]?.status, "done")
      }).pipe(Effect.provide(handleOf(url)))
    }).pipe(Effect.scoped), timeout)

  it.live("serves the suites of other clients, with a proxy and any key", () =>
    Effect.gen(function*() {
      const taught = yield* write("taught.json", { phrases: { de: "Guten Tag" } })
      const { line, url } = yield* started("--compat", "deepl-mock", "--taught", taught)
      assert.match(line, /, proxy at http:\/\/127\.0\.0\.1:\d+, Authorization: DeepL-Auth-Key with any key, docs at /)
      yield* Effect.gen(function*() {
        const headers = {
          authorization: "DeepL-Auth-Key some-key",
          "user-agent": "a suite",
          "mock-server-session": "a",
          "mock-server-session-429-count": "1"
        }
        const translate = send("POST", "/v2/translate", { headers, body: `{"text":["a"],"target_lang":"de"}` })
        assert.strictEqual((yield* translate).status, 429)
        assert.strictEqual((yield* translate).json.translations[0].text, "Guten Tag")
      }).pipe(Effect.provide(handleOf(url)))
      const { code, err } = yield* refused(["--compat", "other"])
      assert.strictEqual(code, 2)
      assert.include(err, "deepl-mock")
    }).pipe(Effect.scoped), timeout)

  it.live("says in one line what is wrong with its flags and files, and ends with 2", () =>
    Effect.gen(function*() {
      const script = yield* write("faults.json", [{ fault: { status: 500 } }, { fault: { status: 700 } }])
      const weather = yield* write("weather.json", { rate429: 2 })
      const cases: Array<readonly [args: ReadonlyArray<string>, message: string]> = [
        [["--prot", "80"], "Unrecognized flag: --prot"],
        [["--port", "65536"], "between 0 and 65535"],
        [["--quota", "-1"], "greater than or equal to 0"],
        [["--script", script], `--script ${script}: [1].fault.status: Expected a value between 200 and 599`],
        [["--script", "/nowhere.json"], "--script: the file /nowhere.json cannot be read (NotFound)."],
        [
          ["--weather", "stormy"],
          `--weather: "stormy" is neither one of calm, rough, storm, nor JSON, nor a readable file`
        ],
        [["--taught", weather], `--taught ${weather}: rate429: There is no such key here.`],
        [["--weather", weather], `--weather ${weather}: rate429: Expected a rate between 0 and 1`]
      ]
      yield* Effect.forEach(cases, ([args, message]) =>
        Effect.map(refused(args), ({ code, err, out }) => {
          assert.deepStrictEqual([code, out], [2, ""])
          assert.match(err, /^fake-language-service: [^\n]+\n$/)
          assert.include(err, message)
        }), { concurrency: 2 })
    }).pipe(Effect.scoped), timeout)

  for (
    const [port, args, variables] of [
      [8080, []],
      [8081, ["--port", "8081"]],
      [3000, ["--compat", "deepl-mock"]],
      [3001, ["--compat", "deepl-mock", "--port", "0"], {}]
    ] as const
  ) {
    it.live(
      `${["listens at", port, ...args].join(" ")}, says so when it cannot, and ends with 3`,
      () =>
        Effect.gen(function*() {
          // If another program has it, it is in use, too.
          yield* Effect.exit(Layer.build(NodeFakeLanguageService.layer({ port })))
          assert.deepStrictEqual(yield* refused(args, variables), {
            code: 3,
            out: "",
            err: `fake-language-service: Port ${port} is in use. Choose another, or 0 for any that is free.\n`
          })
        }).pipe(Effect.scoped),
      timeout
    )
  }

  it.live("explains itself", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* refused(["--help"])
      assert.deepStrictEqual([code, err], [0, ""])
      for (
        const part of [
          "until it is interrupted",
          "DEEPL_MOCK_PROXY_SERVER_PORT",
          "npx @effect-lingua/testing --port 8080"
        ]
      ) {
        assert.include(out, part)
      }
    }), timeout)
})
