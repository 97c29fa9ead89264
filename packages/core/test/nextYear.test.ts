import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { sampled } from "../../../test/support/scale.ts"
import { type Changed, changes, isObject, kindOf, others } from "./support/changes.ts"
import { Sample, Wire } from "./support/index.ts"
import { fieldsOf, points } from "./support/points.ts"

const resilience = { attempts: 1 }

/** The point of an answer of which nothing is needed. */
const nothing = fieldsOf("")

const isNeeded = (operation: string, { change, path }: Pick<Changed, "change" | "path">): boolean => {
  const { lists, needed } = points[operation] ?? nothing
  return path === "" || needed.includes(path) || (change === "another type" && lists.includes(path))
}

/** The words and numbers in a value, those that are kept out of sight too. */
const leaves = (value: unknown): ReadonlyArray<unknown> =>
  Redacted.isRedacted(value)
    ? [Redacted.value(value)]
    : value instanceof Map
    ? leaves(Array.from(value))
    : isObject(value)
    ? Object.values(value).flatMap(leaves)
    : [value]

/** The words and numbers that are the point of a body, but for those that become something else. */
const pointOf = (operation: string, value: unknown, path = ""): ReadonlyArray<unknown> => {
  if (!isObject(value)) {
    const isRead = ["dictionaries.*.entries", "entries", "results.*.detection_status"].includes(path)
    return value !== null && isNeeded(operation, { change: "another type", path }) && !isRead ? [value] : []
  }
  return Object.entries(value).flatMap(([key, field]) =>
    pointOf(operation, field, `${path}${path === "" ? "" : "."}${Array.isArray(value) ? "*" : key}`)
  )
}

/** The same body with all that is not needed changed. */
const without = (operation: string, value: unknown, change: (value: unknown) => unknown, path = ""): unknown => {
  if (!isObject(value)) return value
  if (Array.isArray(value)) return value.map((item) => without(operation, item, change, `${path}${path && "."}*`))
  const { lists, needed } = points[operation] ?? nothing
  return Object.fromEntries([
    ["a_field_of_next_year", { deep: [1] }],
    ...Object.entries(value).flatMap(([key, field]) => {
      const below = `${path}${path && "."}${key}`
      if (needed.includes(below) || lists.includes(below)) return [[key, without(operation, field, change, below)]]
      const changed = change(field)
      // A value of the same type is another value, which may be wrong: the id of another job.
      if (kindOf(changed) === kindOf(field)) return [[key, field]]
      return changed === undefined ? [] : [[key, changed]]
    })
  ])
}

const answered = (bodies: ReadonlyArray<unknown>) =>
  Wire.layer(
    bodies.map((body) => Wire.answer(200, JSON.stringify(body), { "content-type": "application/json" })),
    { resilience }
  )

/** Calls an operation once for each body. */
const read = (operation: string, bodies: ReadonlyArray<unknown>) =>
  Effect.forEach(bodies, () => Effect.result(Sample.operation(operation).call)).pipe(Effect.provide(answered(bodies)))

const assertKept = (operation: string, body: unknown, result: unknown, where: string) => {
  const found = leaves(result)
  for (const value of pointOf(operation, body)) assert.include(found, value, where)
}

/** A value without the fields that are null. The limits of a key are not counted: there, null means that there is no limit. */
const withoutNulls = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutNulls)
    : isObject(value)
    ? Object.fromEntries(
      Object.entries(value).flatMap(([key, field]) =>
        field === null ? [] : [[key, key === "usage_limits" ? field : withoutNulls(field)]]
      )
    )
    : value

const detected = { detection_status: "success", detected_language: "fr" }

/** Bodies in which each needed field is needed. */
const particular: Readonly<Record<string, object>> = {
  "Detection.detect": { results: [detected, detected] }
}
const bodies = Sample.bodies.map(([operation, body]) => [operation, particular[operation] ?? body] as const)

describe("responses of next year", () => {
  it("need fields only of operations with a body", () => {
    const withBody = new Set(Sample.bodies.map(([operation]) => operation))
    assert.deepStrictEqual(Object.keys(points).filter((operation) => !withBody.has(operation)), [])
  })

  it.effect.each(bodies)("%s still decodes when any other field is missing or invalid", ([operation, body]) => {
    const harmless = sampled(changes(body, "").filter((changed) => !isNeeded(operation, changed)), 4)
    return Effect.map(read(operation, harmless.map(({ body }) => body)), (results) => {
      for (const [index, result] of results.entries()) {
        const { change, path, body } = harmless[index] ?? assert.fail()
        const where = `${path} ${change}: ${JSON.stringify(body)}`
        if (result._tag === "Failure") {
          return assert.fail(
            `${where}: ${result.failure.message}. Fields that a response needs are in support/points.ts`
          )
        }
        assertKept(operation, body, result.success, where)
      }
    })
  })

  it.effect.each(bodies)("%s still decodes when all other fields are missing or invalid", ([operation, body]) => {
    const changed = sampled([undefined, null, ...others], 4).map((other) => without(operation, body, () => other))
    return Effect.map(read(operation, changed), (results) => {
      for (const [index, result] of results.entries()) {
        const where = JSON.stringify(changed[index])
        if (result._tag === "Failure") return assert.fail(`${where}: ${result.failure.message}`)
        assertKept(operation, changed[index], result.success, where)
      }
    })
  })

  it.effect.each(bodies)(
    "%s reads null as an absent field",
    ([operation, body]) => {
      const nulls = sampled(changes(body, "").filter(({ change }) => change === "null"), 3)
      return Effect.map(read(operation, nulls.flatMap(({ body }) => [body, withoutNulls(body)])), (results) => {
        const values = results.map(Result.getOrUndefined)
        for (const [index, { path }] of nulls.entries()) {
          assert.deepStrictEqual(values[2 * index], values[2 * index + 1], path)
        }
      })
    }
  )

  it.effect.each(bodies)("%s fails without a field that it needs, and names it", ([operation, body]) => {
    const harmful = sampled(changes(body, "").filter((changed) => isNeeded(operation, changed)), 4)
    return Effect.map(read(operation, harmful.map(({ body }) => body)), (results) => {
      for (const [index, result] of results.entries()) {
        const { change, path, body } = harmful[index] ?? assert.fail()
        const where = `${path} ${change}: ${JSON.stringify(body)}`
        if (result._tag === "Success") return assert.fail(where)
        const error: object = result.failure
        assert.include(["UnexpectedResponse", "OutcomeUnknown"], result.failure._tag, where)
        assert.propertyVal(error, "outcome", "unknown", where)
        assert.include(result.failure.message, path.split(".").findLast((key) => key !== "*") ?? "", where)
      }
    })
  })
})
