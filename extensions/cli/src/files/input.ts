/** Input: texts as arguments, in files and on standard input. */
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { quoted } from "../screen/advised.ts"
import { oneLine } from "../screen/screen.ts"
import { InvalidUsage, misuse } from "../settings/errors.ts"
import { argument, texts } from "../settings/flags.ts"
import * as Reading from "./reading.ts"

/** The most input that a command reads. */
interface Bound {
  readonly mebibytes: number
  readonly reason: string
}

const ofTexts: Bound = { mebibytes: 16, reason: "--lines takes any number of lines" }

/** The bytes left for inputs that share a bound. */
interface Room extends Bound {
  left: number
}

const roomOf = (bound: Bound): Room => ({ ...bound, left: bound.mebibytes * 1024 * 1024 })

/** The arguments and flags of a command that works on texts. */
export const params = {
  texts: argument(
    "text",
    "A text, - for standard input; each argument is one, and -- goes before a text that begins with -"
  ).pipe(
    Argument.variadic()
  ),
  files: texts("file", "file", "A file with a text, - for standard input")
}

/** The values of these. */
export interface Sources {
  readonly texts: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

/** The last line break of a file belongs to the file, not to the text. */
const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, "")

const notEmpty = (name: string, text: string): Effect.Effect<string, InvalidUsage> =>
  text.trim() === "" ? misuse(`${name} is empty`) : Effect.succeed(text)

/** The text of a file or of standard input. All inputs of a run share the bound. */
const read = Effect.fnUntraced(function*(file: string, room: Room) {
  const name = nameOf(file)
  const bytes = Stream.tap(file === "-" ? (yield* Stdio.Stdio).stdin : Reading.bytesOf(file), ({ length }) => {
    room.left -= length
    return room.left < 0
      ? misuse(`${name} goes over ${room.mebibytes} MiB of input; ${room.reason}`)
      : Effect.void
  })
  return yield* notEmpty(name, withoutLastBreak(yield* Stream.mkString(Reading.textIn(name, bytes))))
})

/** Refuses a text that is probably meant as a file. */
const checkNoFile = Effect.fnUntraced(function*(text: string) {
  const fs = yield* FileSystem.FileSystem
  const info = /[\n\0]/.test(text) ? Option.none() : yield* Effect.option(fs.stat(text))
  if (Option.isNone(info) || info.value.type !== "File") return
  return yield* misuse(
    `${oneLine(text)} is a file: give --file ${
      quoted(text)
    } for its text; to send the name itself, write it to standard input`
  )
})

/** The texts to work on: arguments, then files; standard input when neither is given. */
export const textsOf = Effect.fnUntraced(function*({ files, texts }: Sources) {
  const room = roomOf(ofTexts)
  if (texts.length > 0 || files.length > 0) {
    const given = yield* Effect.forEach(
      texts,
      Effect.fnUntraced(function*(text, index) {
        if (text === "-") return yield* read(text, room)
        yield* checkNoFile(text)
        return yield* notEmpty(`text ${index + 1}`, text)
      })
    )
    return [...given, ...yield* Effect.forEach(files, (file) => read(file, room))]
  }
  if (yield* (yield* Stdio.Stdio).stdinIsTerminal) {
    return yield* misuse("no text: give it as an argument, with --file, or on standard input (see --help)")
  }
  return [yield* read("-", room)]
})

/** The text of a settings file or rules, or of a file with another bound. */
export const fileText = (file: string, bound = ofTexts) => read(file, roomOf(bound))

/** A file as messages name it. */
export const nameOf = (file: string): string => file === "-" ? "standard input" : file

/** Decodes JSON of a file. An unknown key is an error, since its content would be ignored. */
export const fromJson = <A>(
  schema: Schema.Codec<A, Schema.Json>,
  { example, file, text, things }: {
    readonly file: string
    readonly text: string
    readonly things: string
    readonly example: string
  }
): Effect.Effect<A, InvalidUsage> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })(text),
    ({ message }) =>
      new InvalidUsage({
        message: `${nameOf(file)} does not contain ${things} as JSON, ${example}: ${oneLine(message)}`
      })
  )
