/** Values: fields without `undefined`, their comparison, what is made once, and references that are emptied. */
import * as Equal from "effect/Equal"

/** The same object type with `undefined` allowed for optional keys. */
export type Optional<A> = {
  readonly [K in keyof A]: {} extends Pick<A, K> ? A[K] | undefined : A[K]
}

/** The same object type with optional keys in place of those that may be `undefined`. */
type Defined<A> =
  & { readonly [K in keyof A as undefined extends A[K] ? never : K]: A[K] }
  & { readonly [K in keyof A as undefined extends A[K] ? K : never]?: Exclude<A[K], undefined> }

/** Omits the keys whose value is `undefined`. */
export function defined<A extends object>(fields: A): Defined<A>
export function defined(fields: object): object {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const value: unknown = Reflect.get(fields, name)
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** The names of the fields in which two objects differ. A missing field equals `undefined`. */
export const differing = (one: object, other: object): ReadonlyArray<string> =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => !Equal.equals<unknown, unknown>(Reflect.get(one, name), Reflect.get(other, name)))

/** Makes a value with its first use, and returns the same from then on. */
export const once = <A extends object>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}

/**
 * A reference that is emptied when its content has ended, for holders that outlive it.
 *
 * V8 keeps some holders among its old objects until a full collection: entries of contexts, which it allocates there because those of layers
 * stay, and the table that a set leaves behind when it grows. Everything that they refer to survives with them, so that each collection
 * of young objects would copy whole calls. It is a class because V8 allocates object literals there too, once most of them survive.
 */
export class Cell<A> {
  content: A | undefined
  constructor(content: A) {
    this.content = content
  }
}
