import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { exitCodes } from "../../src/screen/exitCodes.ts"
import { inProcess } from "../support/cli.ts"

const scenario = {
  name: "short",
  duration: "30 seconds",
  clients: 5,
  load: { rate: 5 },
  phases: [{ from: "5 seconds", to: "15 seconds", weather: { rate503: 1 } }]
}

const Reports = Schema.fromJsonString(Schema.Struct({ client: Schema.String, calls: Schema.Int, recovery: Schema.Int }))

describe("simulate", () => {
  it.live("prints a table and findings, and writes a page with plots that needs nothing else", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const file = join(directory, "scenario.json")
      const html = join(directory, "page.html")
      writeFileSync(file, JSON.stringify(scenario))
      const args = ["simulate", "--scenario", file, "--policy", "defaults", "--policy", "none"]
      const { code, out } = yield* inProcess([...args, "--html", html, "--json"])
      assert.strictEqual(code, 0)
      const reports = out.trimEnd().split("\n").map((line) => Schema.decodeSync(Reports)(line))
      assert.deepStrictEqual(reports.map(({ client }) => client), ["defaults", "none"])
      assert.deepStrictEqual(reports.map(({ recovery }) => recovery <= 20), [true, true])
      const page = readFileSync(html, "utf8")
      assert.include(page, "<h1>Simulation: short</h1>")
      const plots = page.split("<svg ").slice(1)
      assert.strictEqual(plots.length, 5)
      const labels = plots.map((plot) => [...plot.matchAll(/>([^<>]+)<\/text>/g)].map(([, label]) => label))
      const seconds = ["0 s", "5 s", "10 s", "15 s", "20 s", "25 s", "30 s"]
      // Of the second policy, which sends each call once.
      assert.deepStrictEqual(labels.slice(3).map((some) => some.slice(0, -1)), [
        ["0", "1", "2", "3", "4", "5", "6", ...seconds, "calls", "requests", "refused with 429", "successes"],
        ["0.01 s", "0.1 s", "1 s", ...seconds, "p50", "p95", "p99"]
      ])
      // A client without a limit has no plot of it.
      assert.deepStrictEqual(labels[2]?.slice(-3, -1), ["in flight", "open circuits in %"])
      // With retries the 95th percentile differs from the 50th.
      const lines = plots[1]?.match(/<path d="[^"]+"(?=[^>]+var\(--[abc]\)" stroke-width)/g)
      assert.isAbove(new Set(lines).size, 1)
      assert.notMatch(page, /<script|(?:src|href)=|url\((?!#)/)
      const again = yield* inProcess([...args, "--html", html])
      assert.strictEqual(again.code, exitCodes.file)
      const text = yield* inProcess(args)
      assert.match(text.out, /^client +calls +succeeded/)
      assert.include(text.out, "With none the service gets ")
    }).pipe(Effect.scoped))

  it.live("says what is wrong with a scenario or a policy, and writes nothing", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const file = join(directory, "scenario.json")
      const policy = join(directory, "policy.json")
      const html = join(directory, "page.html")
      const fails = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
        const { code, err } = yield* inProcess(["simulate", "--html", html, ...args])
        assert.notStrictEqual(code, 0)
        assert.isFalse(existsSync(html))
        return err
      })
      assert.include(yield* fails("--scenario", "outrage"), "outage, throttle, limit, brownout, queue")
      assert.include(yield* fails("--scenario", file), "cannot be read")
      writeFileSync(file, JSON.stringify({ ...scenario, clients: 0, lod: 1 }))
      const error = yield* fails("--scenario", file)
      assert.include(error, "clients")
      assert.include(error, "lod")
      writeFileSync(file, JSON.stringify({ ...scenario, phases: [{ from: "9 seconds", to: "5 seconds" }] }))
      assert.include(yield* fails("--scenario", file), "phases[0]: from must be before to")
      writeFileSync(policy, JSON.stringify({ resilience: { attempts: 0 } }))
      assert.include(yield* fails("--scenario", "outage", "--policy", policy), "attempts")
      writeFileSync(policy, JSON.stringify({ resilience: { atempts: 3 } }))
      assert.include(yield* fails("--scenario", "outage", "--policy", policy), "the nearest one is resilience.attempts")
    }).pipe(Effect.scoped))
})
