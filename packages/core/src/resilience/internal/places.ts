/** The places of the calls in flight, and the queue of the calls that wait for one. */
import * as Effect from "effect/Effect"

/** Waits until the function that `register` receives is called, or fails. `register` returns a function that ends the registration. */
export type Wait<E> = (register: (resume: () => void) => () => void) => Effect.Effect<void, E>

/**
 * Makes a number of places. A free place is taken synchronously. The operations of the waiting calls take turns, so that many calls
 * of one operation do not delay those of the others.
 */
export const make = (count: number) => {
  let free = count
  let isServing = false
  /** The waiting calls by operation, with the operation whose turn is next at the start. */
  const waiting = new Map<string, Set<() => void>>()

  const arrive = (operation: string, enter: () => void): () => void => {
    const calls = waiting.get(operation) ?? new Set()
    waiting.set(operation, calls.add(enter))
    return () => {
      if (calls.delete(enter) && calls.size === 0) waiting.delete(operation)
    }
  }

  /** Removes the next call from the queue. */
  const next = (): (() => void) | undefined => {
    for (const [operation, calls] of waiting) {
      waiting.delete(operation)
      for (const enter of calls) {
        calls.delete(enter)
        if (calls.size > 0) waiting.set(operation, calls)
        return enter
      }
    }
    return undefined
  }

  const leave = (): void => {
    free++
    // A call that enters may leave at once. The loop serves the next one without recursion.
    if (isServing) return
    isServing = true
    while (free > 0) {
      const enter = next()
      if (enter === undefined) break
      free--
      enter()
    }
    isServing = false
  }

  /** Runs an attempt in a place. `wait` is used if no place is free. */
  return <A, E, E2>(operation: string, wait: Wait<E2>, attempt: Effect.Effect<A, E>): Effect.Effect<A, E | E2> =>
    Effect.suspend(() => {
      let isIn = false
      const entering = Effect.suspend(() => {
        if (free > 0 && waiting.size === 0) {
          free--
          isIn = true
          return attempt
        }
        const waited = wait((resume) =>
          arrive(operation, () => {
            isIn = true
            resume()
          })
        )
        return Effect.andThen(waited, attempt)
      })
      // Surrounds the entry, as an interruption can follow any step.
      return Effect.onExit(entering, () => {
        if (isIn) leave()
        return Effect.void
      })
    })
}
