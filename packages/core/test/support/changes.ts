/** Bodies that differ from what the interface describes. */

type Change = "missing" | "null" | "another type"

/** A body that differs from a right one in one place. */
export interface Changed {
  readonly path: string
  readonly change: Change
  readonly body: unknown
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

export const others: ReadonlyArray<unknown> = ["a string", 0.5, true, {}, []]

export const kindOf = (value: unknown): string => Array.isArray(value) ? "array" : typeof value

const withField = (value: object, key: string, field: unknown) => ({ ...value, [key]: field })

/** All bodies that differ from a right one in one place. */
export const changes = (value: unknown, path: string): ReadonlyArray<Changed> => {
  const here = [
    ...(value === null ? [] : [{ path, change: "null" as const, body: null }]),
    ...others.filter((other) => kindOf(other) !== kindOf(value)).map((body) => ({
      path,
      change: "another type" as const,
      body
    }))
  ]
  if (!isObject(value)) return here
  const isList = Array.isArray(value)
  const ofFields = Object.entries(value).flatMap(([key, field]) => {
    const below = `${path}${path === "" ? "" : "."}${isList ? "*" : key}`
    const { [key]: _, ...rest } = value
    const missing: ReadonlyArray<Changed> = isList ? [] : [{ path: below, change: "missing", body: rest }]
    return changes(field, below).map(({ body, change, path }): Changed => ({
      path,
      change,
      body: isList ? value.with(Number(key), body) : withField(value, key, body)
    })).concat(missing)
  })
  return [...here, ...ofFields]
}
