import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"

const examples: ReadonlyArray<readonly [Duration.Input, string]> = [
  [0, "0 s"],
  ["604253 nanos", "0.6 ms"],
  ["3100 micros", "3.1 ms"],
  [15, "15 ms"],
  [250, "250 ms"],
  [999.4, "999 ms"],
  [999.6, "1 s"],
  ["3069604253 nanos", "3.1 s"],
  [9949, "9.9 s"],
  [9950, "10 s"],
  ["20 seconds", "20 s"],
  ["100 seconds", "100 s"],
  [119_499, "119 s"],
  [119_500, "2 min"],
  ["150 seconds", "2.5 min"],
  ["30 minutes", "30 min"],
  ["1 hour", "60 min"],
  ["2 hours", "2 h"],
  ["36 hours", "36 h"],
  ["2 days", "2 d"],
  ["30 days", "30 d"],
  ["-3 seconds", "-3 s"],
  ["Infinity", "Infinity"]
]

describe("a duration in a message", () => {
  for (const [given, expected] of examples) {
    it(`of ${Duration.format(Duration.fromInputUnsafe(given))} is ${expected}`, () => {
      assert.strictEqual(Attempt.formatDuration(Duration.fromInputUnsafe(given)), expected)
    })
  }

  it("is rounded in the ledger of a call", () => {
    const wait = Duration.nanos(3_069_604_253n)
    const attempts: ReadonlyArray<Attempt.Attempt> = [
      { operation: "Usage.get", number: 1, status: 529, failure: "Overloaded", waited: Duration.zero, took: wait },
      { operation: "Usage.get", number: 2, status: 200, waited: wait, waitCause: "backoff", took: wait }
    ]
    assert.strictEqual(Attempt.format(attempts), "#1 529 Overloaded, waited 3.1 s (backoff), #2 200")
  })
})

it("the ledger of many attempts has the first three and the last three", () => {
  const attempts = Array.from({ length: 9 }, (_, index): Attempt.Attempt => ({
    operation: "Documents.status",
    number: index + 1,
    status: 200,
    waited: Duration.zero,
    took: Duration.zero
  }))
  assert.strictEqual(Attempt.format(attempts.slice(3)), "#4 200, #5 200, #6 200, #7 200, #8 200, #9 200")
  assert.strictEqual(Attempt.format(attempts), "#1 200, #2 200, #3 200, … 3 more …, #7 200, #8 200, #9 200")
})
