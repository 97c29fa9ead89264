/** What is logged, as lines. */
import { Effect, Logger } from "effect"

/** `Level words of the message`. */
const brief = Logger.make(({ logLevel, message }) =>
  `${logLevel} ${Array.isArray(message) ? message.join(" ") : String(message)}`
)

/** A logger that records its lines, alone in `layer`. */
export const recordedLog = (format: Logger.Logger<unknown, string> = brief) => {
  const lines: Array<string> = []
  const logger = Logger.map(format, (line) => void lines.push(line))
  return { lines, logger, layer: Logger.layer([logger]) }
}

/** The value of an effect with the lines that are logged while it runs. */
export const logged = <A, E, R>(effect: Effect.Effect<A, E, R>, format?: Logger.Logger<unknown, string>) =>
  Effect.suspend(() => {
    const { layer, lines } = recordedLog(format)
    return Effect.map(Effect.provide(effect, layer), (value) => ({ value, lines }))
  })
