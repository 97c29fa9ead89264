/** Breaks a request's connection on a server, or simulates this for a request in process, which has no socket. */
import * as Data from "effect/Data"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { hasProperty, isFunction, isObject } from "effect/Predicate"
import * as Stream from "effect/Stream"

export class Lost extends Data.Error<{ readonly code: string; readonly message: string }> {}

export const reset = (): Lost => new Lost({ code: "ECONNRESET", message: "read ECONNRESET" })

const call = (self: unknown, method: string): boolean => {
  if (!hasProperty(self, method)) return false
  const f = self[method]
  if (isFunction(f)) Reflect.apply(f, self, [])
  return isFunction(f)
}

const numbers = new WeakMap<object, number>()

/** The number of a request's connection, from `next` for a new connection; `undefined` in process. */
export const numberOf = ({ source }: HttpServerRequest.HttpServerRequest, next: () => number): number | undefined => {
  if (!hasProperty(source, "socket") || !isObject(source.socket)) return undefined
  const number = numbers.get(source.socket) ?? next()
  numbers.set(source.socket, number)
  return number
}

/** Resets the connection; returns false in process. */
export const cut = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  (hasProperty(source, "socket") && call(source.socket, "resetAndDestroy")) || call(source, "destroy")

/** Ends a truncated response body: closes the connection after the preceding bytes, or fails in process. */
export const lost = ({ source }: HttpServerRequest.HttpServerRequest): Stream.Stream<never, Lost> =>
  Stream.suspend(() =>
    hasProperty(source, "socket") && call(source.socket, "destroySoon")
      ? Stream.never
      : Stream.fail(new Lost({ code: "UND_ERR_SOCKET", message: "other side closed" }))
  )
