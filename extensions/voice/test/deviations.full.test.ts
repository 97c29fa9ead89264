import * as Dialect from "@effect-lingua/testing/fake/Dialect"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import * as VoiceChecks from "@effect-lingua/voice/VoiceChecks"
import { it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { assertNoticed } from "../../conformance/test/support/deviations.ts"

const checks = VoiceChecks.checks.map((check) =>
  Object.assign({
    dialect: check.states.includes("spec") ? undefined : Dialect.ofState["2026-07"],
    resources: FakeVoice.resources
  }, check)
)

it.effect("each check of speech notices the changes of a response that it is known to notice", () =>
  assertNoticed(checks, fileURLToPath(new URL("deviations.txt", import.meta.url))))
