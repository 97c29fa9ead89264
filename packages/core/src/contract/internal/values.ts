import * as Equal from "effect/Equal"
import * as Result from "effect/Result"

export type Optional<A> = { readonly [K in keyof A]: {} extends Pick<A, K> ? A[K] | undefined : A[K] }

/** Makes keys optional if they may be `undefined`. */
type Defined<A> =
  & { readonly [K in keyof A as undefined extends A[K] ? never : K]: A[K] }
  & { readonly [K in keyof A as undefined extends A[K] ? K : never]?: Exclude<A[K], undefined> }

export function defined<A extends object>(fields: A): Defined<A>
export function defined(fields: object): object {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const value: unknown = Reflect.get(fields, name)
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** The fields in which two objects differ. A missing field equals `undefined`. */
export const differing = (one: object, other: object): ReadonlyArray<string> =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => !Equal.equals<unknown, unknown>(Reflect.get(one, name), Reflect.get(other, name)))

export const once = <A extends object>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}

/**
 * Makes a function of a generator, like `Effect.fn`. JavaScript makes a generator function again each time that the function around it runs;
 * that takes longer than most bodies, and all that the body refers to stays until old objects are collected.
 */
export const resultFn = <Args extends ReadonlyArray<unknown>, Step extends Result.Result<unknown, unknown>, A>(
  body: (...args: Args) => Generator<Step, A, never>
) =>
(...args: Args) => Result.gen(() => body(...args))
