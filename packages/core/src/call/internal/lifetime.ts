/** The lifetime of a client: calls and streams under way end at once when its layer is released. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Cell } from "../../contract/internal/cell.ts"
import { ConnectionFailed, ConnectionLost } from "../../errors/CallError.ts"
import { releasedCode } from "../../errors/internal/failure.ts"

const fields = { description: "The layer of the client was released", code: releasedCode }

/** The error of a call on a released client. */
export const failure = (isSent: boolean): ConnectionFailed | ConnectionLost =>
  isSent ? new ConnectionLost(fields) : new ConnectionFailed({ ...fields, isTransient: false })

const make = Effect.gen(function*() {
  const listeners = new Set<Cell<() => void>>()
  let isReleased = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isReleased = true
      for (const { content } of listeners) content?.()
    })
  )

  /** Calls a function when the client is released, until the returned function is called. */
  const onRelease = (listener: () => void): () => void => {
    const entry = new Cell(listener)
    if (isReleased) listener()
    else listeners.add(entry)
    return () => {
      listeners.delete(entry)
      entry.empty()
    }
  }

  /** Ends when the client is released. */
  const released = Effect.callback<void>((resume) => {
    const stop = onRelease(() => resume(Effect.void))
    return Effect.sync(stop)
  })

  return {
    isReleased: () => isReleased,
    onRelease,
    released,
    /** Sleeps; the release of the client ends the sleep. */
    sleep: (millis: number): Effect.Effect<void> => Effect.raceFirst(Effect.sleep(millis), released)
  }
})

/** The lifetime shared by all services of a client. */
export class Lifetime extends Context.Service<Lifetime, Effect.Success<typeof make>>()(
  "@effect-lingua/core/call/internal/lifetime"
) {}

export const layer = Layer.effect(Lifetime, make)
