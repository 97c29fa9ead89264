// @effect-diagnostics globalFetch:off -- the requests of the test itself
// The commands of docs/production.md, with free ports in place of its ports.
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { freePort } from "../../../packages/node/test/support/listen.ts"
import { ending, start as startProcess } from "../../../test/support/processes.ts"

const backend = join(import.meta.dirname, "..")
const page = readFileSync(join(backend, "../../docs/production.md"), "utf8")

/** The list after a word of the page, with other ports. */
const commandAfter = (word: string, ports: Readonly<Record<string, number>>): ReadonlyArray<string> =>
  JSON.parse((page.split(word)[1]?.split("\n")[0] ?? "").replaceAll(/\b(?:3000|8080)\b/g, (port) => `${ports[port]}`))

const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  startProcess(process.execPath, args, { cwd: backend, env: { ...process.env, ...env } })

const healthy = ([, node, ...args]: ReadonlyArray<string>) =>
  Effect.flatMap(start(node === "node" ? args : []), ending).pipe(
    Effect.scoped,
    Effect.repeat({ until: ({ code }) => code === 0, schedule: Schedule.spaced("100 millis") })
  )

const translated = async (url: string): Promise<string> => {
  const headers = { "content-type": "application/json", "x-tenant": "shop" }
  const body = JSON.stringify({ text: "Good day", targetLanguage: "de" })
  const response = await fetch(url, { method: "POST", body, headers })
  return response.text()
}

it.live(
  "the container has its key in a file, is healthy beside the fake, and ends with 0 after SIGTERM",
  () =>
    Effect.gen(function*() {
      const ports = { 3000: yield* freePort, 8080: yield* freePort }
      const [, flags = ""] = /command: npx -y @effect-lingua\/testing (.*)/.exec(page) ?? []
      const fake = join(backend, "../../packages/testing/src/bin.ts")
      yield* start([fake, ...flags.replace("8080", `${ports[8080]}`).split(" ")])
      yield* healthy(commandAfter("test: ", ports))

      const secrets = yield* folder
      writeFileSync(join(secrets, "EU_LANGUAGE_SERVICE_KEY"), "fake-key\n")
      const [, ...args] = commandAfter("\nCMD ", ports)
      const server = yield* start(args, {
        PORT: `${ports[3000]}`,
        DATA_FOLDER: secrets,
        SECRETS_FOLDER: secrets,
        EU_LANGUAGE_SERVICE_BASE_URL: `http://127.0.0.1:${ports[8080]}`
      })
      yield* healthy(["", ...commandAfter("HEALTHCHECK CMD ", ports)])
      const text = yield* Effect.promise(() => translated(`http://127.0.0.1:${ports[3000]}/translate`))
      assert.strictEqual(text, `{"text":"[de] Good day"}`)

      server.child.kill("SIGTERM")
      assert.strictEqual((yield* ending(server)).code, 0)
    }).pipe(Effect.scoped),
  120_000
)
