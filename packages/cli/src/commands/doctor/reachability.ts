/** Checks of a host: its addresses, and a connection to it. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { hasProperty, isString } from "effect/Predicate"
import { lookup as lookupAddresses } from "node:dns/promises"
import { connect as connectTcp, isIP } from "node:net"
import { connect as connectTls } from "node:tls"

/** The host cannot be found or connected to; `code` is that of the system. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly code: string }> {}

const toUnreachable = (cause: unknown) =>
  new Unreachable({ code: hasProperty(cause, "code") && isString(cause.code) ? cause.code : "no code" })

const inTime = Effect.timeoutOrElse({
  duration: "5 seconds",
  orElse: () => Effect.fail(new Unreachable({ code: "ETIMEDOUT" }))
})

/** The addresses of a host. */
export const lookup = (host: string): Effect.Effect<ReadonlyArray<string>, Unreachable> =>
  Effect.tryPromise({ try: () => lookupAddresses(host, { all: true }), catch: toUnreachable }).pipe(
    Effect.map((found) => found.map(({ address }) => address)),
    inTime
  )

/** Connects, and closes the connection. */
export const connect = (host: string, port: number, tls: boolean): Effect.Effect<void, Unreachable> =>
  Effect.callback<void, Unreachable>((resume) => {
    const done = () => {
      socket.destroy()
      resume(Effect.void)
    }
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : undefined) }, done)
      : connectTcp({ host, port }, done)
    socket.on("error", (error) => resume(Effect.fail(toUnreachable(error))))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    inTime
  )
