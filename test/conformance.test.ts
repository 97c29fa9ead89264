import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { bundled } from "./support/bundled.ts"
import { isFull } from "./support/scale.ts"

const script = isFull ? await bundled(new URL("../scripts/conformance.ts", import.meta.url)) : ""

const command = (environment: Record<string, string>, ...options: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: unknown; readonly said: string }>((resume) => {
    const child = execFile(
      process.execPath,
      [script, ...options],
      // Without the environment of the tests, which may contain a real host.
      { env: environment },
      (error, stdout, stderr) => resume(Effect.succeed({ code: error?.code ?? 0, said: `${stdout}${stderr}` }))
    )
    return Effect.sync(() => child.kill())
  })

it.live.skipIf(!isFull)(
  "the conformance command prints its plan and its results, and exits with 1 if the host cannot be checked",
  () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const host = { LANGUAGE_SERVICE_BASE_URL: url, CONFORMANCE_PAUSE: "1 millis" }
      const [fake, free, wrongKey, noKey] = yield* Effect.all([
        command({}, "--fake"),
        command({ ...host, LANGUAGE_SERVICE_KEY: "fake-key" }),
        command({ ...host, LANGUAGE_SERVICE_KEY: "wrong" }),
        command({})
      ])
      assert.deepStrictEqual([fake.code, free.code, wrongKey.code, noKey.code], [0, 0, 1, 1])
      assert.match(fake.said, /It will use up \d+ characters and those that the download of the document counts\./)
      assert.match(fake.said, /^passed {3}Languages: /m)
      assert.match(fake.said, /^\d+ passed, 0 failed, 0 skipped$/m)
      assert.match(free.said, /It will use up 0 characters\./)
      assert.match(free.said, /^skipped {2}Writing: /m)
      assert.match(wrongKey.said, /^The host cannot be checked\. .*InvalidKey.*\n$/)
      assert.match(noKey.said, /Set LANGUAGE_SERVICE_KEY and LANGUAGE_SERVICE_BASE_URL/)
    }).pipe(Effect.provide(NodeFakeLanguageService.layer()))
)
