// Files that are pipes: named ones, and those that a shell makes of <(command).
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readlinkSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { live } from "../../../../test/support/tests.ts"
import { asProcess, bin, ending, start, startCli } from "../support/cliProcess.ts"

const key = "key-that-nobody-sees"
const fake = NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid" }] })

/** A named pipe without a writer, which only its owner can read. */
const pipe = Effect.map(folder, (directory) => {
  const path = join(directory, "pipe")
  assert.strictEqual(spawnSync("mkfifo", ["-m", "600", path]).status, 0)
  return path
})

/** Waits until a process has a file open. */
const hasOpen = (pid: number | undefined, path: string) =>
  Effect.sync(() => {
    const files = `/proc/${pid}/fd`
    return readdirSync(files).some((fd) => {
      try {
        return readlinkSync(join(files, fd)) === path
      } catch {
        // Closed meanwhile.
        return false
      }
    })
  }).pipe(
    Effect.repeat({ until: (isOpen) => isOpen, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("1 minute")
  )

/** Runs a command of bash, in which `lingua` is the executable. */
const bash = Effect.fnUntraced(function*(command: string, env: Readonly<Record<string, string>>) {
  const args = ["--norc", "--noprofile", "-c", `lingua() { "$NODE" "$BIN" "$@"; }; ${command}`]
  return yield* ending(
    yield* start(["bash", ...args], { env: { ...env, NODE: process.execPath, BIN: bin }, stdin: "" })
  )
})

describe.concurrent("a pipe without a writer", () => {
  const correct = ["correct", "a"]
  for (
    const [name, signal, argsOf, envOf] of [
      ["--file", "SIGINT", (path: string) => ["correct", "--fake", "--file", path], () => ({})],
      ["--config", "SIGTERM", (path: string) => [...correct, "--config", path], () => ({})],
      ["LANGUAGE_SERVICE_KEY_FILE", "SIGINT", () => correct, (path: string) => ({ LANGUAGE_SERVICE_KEY_FILE: path })]
    ] as const
  ) {
    live(`is not waited for after ${signal}, as ${name}`, function*() {
      const path = yield* pipe
      const { child, ...process } = yield* startCli(argsOf(path), { env: envOf(path), stdin: "" })
      yield* hasOpen(child.pid, path)
      child.kill(signal)
      assert.deepStrictEqual(yield* ending({ child, ...process }), {
        code: signal === "SIGINT" ? 130 : 143,
        out: "",
        err: ""
      })
    })
  }

  live("is refused where the size has to be known before", function*() {
    const path = yield* pipe
    const args = ["voice", "translate", "--fake", "--quiet", "-t", "de", "--content-type", "audio/mpeg", path]
    assert.deepStrictEqual(yield* asProcess(args), {
      code: 13,
      out: "",
      err: `effect-lingua: ${path} cannot be read: it is a pipe. Nothing was sent\n`
    })
  })
})

describe.concurrent("a pipe", () => {
  live("is read from a writer that comes later, and to its end", function*() {
    const path = yield* pipe
    const process = yield* startCli(["correct", "--fake", "--quiet", "--file", path], { stdin: "" })
    yield* hasOpen(process.child.pid, path)
    yield* Effect.promise(async () => {
      const writer = await open(path, "w")
      await writer.write("teh ")
      await writer.write("house\n")
      await writer.close()
    })
    assert.deepStrictEqual(yield* ending(process), { code: 0, out: "The house.\n", err: "" })
  })

  it.live("is what a shell makes of <(command), as any file that is read", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const settings = JSON.stringify({ key, baseUrl: url })
      assert.deepStrictEqual(
        yield* bash(
          `lingua correct --config <(echo '${settings}') --file <(echo teh house) --file <(echo teh car);
          lingua correct --file <(yes)
          LANGUAGE_SERVICE_KEY_FILE=<(echo ${key}) lingua correct "teh cat"`,
          { LANGUAGE_SERVICE_BASE_URL: url }
        ),
        {
          code: 0,
          out: "The house.\nThe car.\nThe cat.\n",
          err: "effect-lingua: /dev/fd/63 exceeds 16 MiB of input; --lines takes any number of lines\n"
        }
      )
    }).pipe(Effect.scoped, Effect.provide(fake)))
})
