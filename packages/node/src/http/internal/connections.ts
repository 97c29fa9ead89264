import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Effect from "effect/Effect"

type Fields = ResiliencePolicy.Options

export const neededBy = (fields: Fields): number => {
  const { concurrency, openStreams } = { ...ResiliencePolicy.defaults, ...fields }
  return concurrency + openStreams
}

/** Assigns a quarter of connections to open streams, the rest to requests in flight, both at most the defaults. */
const partOf = (connections: number, fields: Fields): Fields => {
  const openStreams = fields.openStreams ??
    Math.min(ResiliencePolicy.defaults.openStreams, Math.max(1, Math.floor(connections / 4)))
  const concurrency = fields.concurrency ??
    Math.min(ResiliencePolicy.defaults.concurrency, Math.max(1, connections - openStreams))
  return { ...fields, openStreams, concurrency }
}

const invalid = (problem: string) => new InvalidConfiguration({ setting: "pool.connections", problem })

/** Sets a policy's omitted fields. Fails if the pool is too small, because requests would wait for open streams. */
export const fit = (
  connections: number | undefined,
  fields: Fields = {}
): Effect.Effect<Fields, InvalidConfiguration> => {
  if (connections === undefined) return Effect.succeed(fields)
  if (!Number.isInteger(connections) || connections < 2) {
    return invalid("must be a whole number from 2: one for requests in flight and one for open streams")
  }
  const fitted = partOf(connections, fields)
  const needed = neededBy(fitted)
  return needed <= connections ? Effect.succeed(fitted) : invalid(
    `is ${connections}, and resilience.concurrency (${fitted.concurrency}) and resilience.openStreams ` +
      `(${fitted.openStreams}) need ${needed}: omit it, raise it to ${needed}, or lower the other two`
  )
}
