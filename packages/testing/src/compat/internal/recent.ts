/** A map that removes entries that were not used for 10 minutes. */
import * as Duration from "effect/Duration"

const maxUnusedMillis = Duration.toMillis("10 minutes")

export class Recent<A> {
  /** In order of last use. */
  readonly #entries = new Map<string, { readonly value: A; readonly used: number }>()

  get(key: string, now: number): A | undefined {
    this.#forget(now)
    const value = this.#entries.get(key)?.value
    return value === undefined ? undefined : this.set(key, value, now)
  }

  set(key: string, value: A, now: number): A {
    this.#forget(now)
    this.#entries.delete(key)
    this.#entries.set(key, { value, used: now })
    return value
  }

  clear(): void {
    this.#entries.clear()
  }

  #forget(now: number): void {
    for (const [key, { used }] of this.#entries) {
      if (now - used < maxUnusedMillis) return
      this.#entries.delete(key)
    }
  }
}
