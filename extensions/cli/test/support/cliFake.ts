/** The command line against the fake on a socket. */
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { liveWith } from "../../../../test/support/tests.ts"
import { type Args, inProcess, type Surroundings } from "./cli.ts"

/** A key of the paid tier. */
export const key = "key-that-nobody-sees"

/** A key that administers. */
export const adminKey = "admin-key-that-nobody-sees:adm"

/** The fake that {@link ran} and {@link run} talk to. */
export const fake = NodeFakeLanguageService.layer({
  resources: FakeVoice.resources,
  keys: [{ key, tier: "paid", detectionEnabled: true }, { key: adminKey, tier: "paid" }],
  seed: "cli"
})

/** A test against the fake. */
export const test = liveWith(fake)

/** A new fake whose documents and jobs are done at once. */
export const fakeWith = (options: NodeFakeLanguageService.Options) =>
  Layer.fresh(NodeFakeLanguageService.layer({
    keys: [{ key, tier: "paid" }],
    seed: "cli",
    readyAfter: 0,
    resources: FakeVoice.resources,
    ...options
  }))

/** Runs a command against the fake, and never shows the key. */
export const ran = Effect.fnUntraced(function*(args: Args, surroundings: Surroundings = {}) {
  const { url } = yield* FakeLanguageService
  const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url, ...surroundings.env }
  const ending = yield* inProcess(args, { ...surroundings, env })
  assert.notInclude(ending.out + ending.err, key)
  return ending
})

/** Runs a command that has to work, and gives what it printed. */
export const run = Effect.fnUntraced(function*(args: Args, surroundings?: Surroundings) {
  const { code, err, out } = yield* ran(args, surroundings)
  assert.deepStrictEqual([code, err], [0, ""], String(args))
  return out
})

/** The objects that were printed, one a line. */
export const lines = (out: string): ReadonlyArray<Record<string, unknown>> =>
  out.trimEnd().split("\n").map((line) => JSON.parse(line))
