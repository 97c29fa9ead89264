/** Tells new content of a session from repeated and empty messages, which a service that makes no progress can send without end. */
import type { Segment, ServerMessage } from "../VoiceMessages.ts"

const textOf = (segments: ReadonlyArray<Segment>): string => segments.map(({ text }) => text).join("\0")

/** Makes the test of the messages of a session, in their order. */
export const make = () => {
  /** The last text of each transcript, and the transcripts that have ended. */
  const last = new Map<string, string>()
  return (message: ServerMessage): boolean => {
    if (message._tag === "TargetMediaChunk") return message.data.some(({ length }) => length > 0)
    const name = `${message._tag} ${"language" in message ? message.language : ""}`
    const content = "concluded" in message ? `${textOf(message.concluded)}\n${textOf(message.tentative)}`.trim() : "end"
    if (content === "" || content === last.get(name)) return false
    last.set(name, content)
    return true
  }
}
