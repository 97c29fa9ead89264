/**
 * What checks look at. Each response of the fake to a check is changed in one place at a time, and a line of a file deviations.txt has a mark for
 * each change: a letter for the claim of the check that fails, `-` where the call of the client does, and a dot where nobody notices it.
 * `TESTS=full vitest run --config test/vitest.config.ts --update=all` writes it. The sample is the first change that each claim notices.
 */
import type * as Conformance from "@effect-lingua/conformance/Conformance"
import * as VirtualTime from "@effect-lingua/testing/time/VirtualTime"
import { assert, expect } from "@effect/vitest"
import { Effect, identity, Option, Schema } from "effect"
import { readFileSync } from "node:fs"
import { isFull } from "../../../../test/support/scale.ts"
import { type Answer, type Change, misbehaving, type Misbehaviour } from "./misbehaving.ts"

/** Other values in place of one of JSON. */
const otherThan = (value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "string") return [`${value}x`]
  if (typeof value === "number") return [value + 1, -1]
  if (typeof value === "boolean") return [!value]
  return Array.isArray(value) ? [value.slice(1), value.toReversed()] : []
}

const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))

/**
 * A value of JSON with each change in one place: of an object in each of its fields, of a list in its first element. `whole` puts another
 * value in the place of this one.
 */
const otherwise = (value: unknown, whole: (other: unknown) => unknown): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const first = Array.isArray(value) ? otherwise(value[0], (other) => whole(value.with(0, other))) : []
    return [...otherThan(value).map(whole), ...first]
  }
  return Object.entries(value).flatMap(([key, field]) =>
    [whole(without(value, key))].concat(otherwise(field, (other) => whole({ ...value, [key]: other })))
  )
}

const decodeJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

/** Another status that means about the same. */
const similar = (status: number): number => status < 300 ? (status === 200 ? 202 : 200) : status === 400 ? 409 : 400

const bodiesOf = (text: string): ReadonlyArray<string> =>
  Option.match(decodeJson(text), {
    onNone: () => text === "" ? [] : [`${text}x`, "x"],
    onSome: (json) => otherwise(json, identity).map((other) => JSON.stringify(other)).filter((other) => other !== text)
  })

/** The changes of a response, each of its status, its headers or its body. */
const changesOf = ({ status, text }: Answer): ReadonlyArray<Change> => [
  { status: 418 },
  { status: similar(status) },
  { headers: { "content-type": "text/plain" } },
  ...bodiesOf(text).map((text) => ({ text }))
]

/** A check with what its fake has besides. */
export type Check = Conformance.Check & Pick<Misbehaviour, "dialect" | "resources">

/** Runs a check alone, with other answers than those of the fake, and returns what failed. */
const run = (check: Check, change: (number: number, answer: Answer) => Change | undefined) => {
  let number = 0
  return VirtualTime.run(
    check.effect.pipe(
      Effect.match({
        onSuccess: () => undefined,
        onFailure: (failure) => failure._tag === "CheckFailed" ? failure.expected.replace(/:.*/s, "") : failure._tag
      }),
      Effect.provide(misbehaving({
        answer: (answer) => change(number++, answer),
        dialect: check.dialect,
        resources: check.resources
      }))
    )
  )
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** The marks of a check. Where all are not tried, those that are not the first of their letter are the known ones. */
const marksOf = Effect.fnUntraced(function*(check: Check, known: string) {
  const answers: Array<Answer> = []
  yield* run(check, (_, answer) => {
    answers.push(answer)
    return undefined
  })
  const changes = answers.flatMap((answer, number) => changesOf(answer).map((change) => ({ number, change })))
  const claims: Array<string> = []
  const marks = yield* Effect.forEach(changes, ({ change, number }, index) => {
    const mark = known[index] ?? "?"
    if (!isFull && (known.indexOf(mark) !== index || !letters.includes(mark))) return Effect.succeed(mark)
    return Effect.map(run(check, (current) => current === number ? change : undefined), (failed) => {
      if (failed === undefined) return "."
      if (failed === "the call succeeds") return "-"
      if (!claims.includes(failed)) claims.push(failed)
      return letters[claims.indexOf(failed)] ?? "?"
    })
  })
  return marks.join("")
})

const linesOf = (file: string) =>
  readFileSync(file, "utf8").trimEnd().split("\n").map((line) => {
    const [marks = "", ...name] = line.split(" ")
    return [name.join(" "), marks] as const
  })

/** Fails unless the checks notice what the file says. */
export const assertNoticed = Effect.fnUntraced(function*(checks: ReadonlyArray<Check>, file: string) {
  const known = linesOf(file)
  const marks = yield* Effect.forEach(
    checks,
    (check) => Effect.map(marksOf(check, new Map(known).get(check.name) ?? ""), (marks) => [check.name, marks] as const)
  )
  const text = marks.map(([name, marks]) => `${marks} ${name}\n`).join("")
  // oxlint-disable-next-line vitest/no-standalone-expect -- tests call it
  if (isFull) yield* Effect.promise(() => expect(text).toMatchFileSnapshot(file))
  else assert.deepStrictEqual(marks, known)
})
