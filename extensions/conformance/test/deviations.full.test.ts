import * as Conformance from "@effect-lingua/conformance/Conformance"
import * as Dialect from "@effect-lingua/testing/fake/Dialect"
import { it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { assertNoticed, type Check } from "./support/deviations.ts"

/** The checks of the specification, and those that only a newer state has, with its fake. */
const checks: ReadonlyArray<Check> = [
  ...Conformance.checks,
  ...Conformance.checksOf("2026-07").filter(({ states }) => !states.includes("spec")).map((check) =>
    Object.assign({ dialect: Dialect.ofState["2026-07"] }, check)
  )
]

it.effect("each check notices the changes of a response that it is known to notice", () =>
  assertNoticed(checks, fileURLToPath(new URL("deviations.txt", import.meta.url))))
