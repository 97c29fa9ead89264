/** `--lines` and `--null`: any number of texts, streamed in order. */
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { name as program, plain, stdoutStyle, type Style, toStderr, toStdout } from "../screen/screen.ts"
import { FileUnusable, type InvalidUsage, misuse, misuseIf } from "../settings/errors.ts"
import { count, toggle } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"
import { bytesOf, nameOf, textIn } from "./input.ts"
import * as Output from "./output.ts"

export const params = {
  lines: toggle("lines", "Each line of the input is a text; results appear in order while later lines are read"),
  null: toggle("null", "As --lines, but texts and results end with a NUL byte, and may have several lines"),
  skip: count("skip", "Lines of the input that a run before has done"),
  resume: toggle("resume", "Continue after the results in the file of --output of an earlier run, which stopped")
}

/** Collects results. If the run fails, prints the results received so far, because they are paid. */
export const collect = <A extends object, E, R>(results: Stream.Stream<A, E, R>, textOf: (result: A) => string) =>
  Effect.suspend(() => {
    const all: Array<A> = []
    return Stream.runForEach(results, (result) => Effect.sync(() => all.push(result))).pipe(
      Effect.as(Output.texts(all, textOf)),
      Effect.tapError(() => all.length === 0 ? Effect.void : Effect.ignore(Output.print(Output.texts(all, textOf))))
    )
  })

export type Options = Command.Command.Config.Infer<typeof params>

export const isOn = (options: Options): boolean => options.lines || options.null

const maxCharacters = 16 * 1024 * 1024

/** Splits a text into records. A separator at the end adds no empty record. */
export const split = <E, R>(
  text: Stream.Stream<string, E, R>,
  separator: string,
  name: string
): Stream.Stream<string, E | InvalidUsage, R> =>
  Stream.suspend(() => {
    // Pieces of the unfinished record. Joined once, because appending many short pieces one by one is slow.
    let rest: Array<string> = []
    let length = 0
    let read = 0
    const records = Stream.flatMap(text, (piece) =>
      Stream.unwrap(Effect.gen(function*() {
        const [end = "", ...others] = piece.split(separator)
        rest.push(end)
        length += end.length
        const all: Array<string> = []
        for (const next of others) {
          all.push(rest.join(""))
          rest = [next]
          length = next.length
        }
        read += all.length
        if (length > maxCharacters) {
          return yield* misuse(`line ${read + 1} of ${name} has more than ${maxCharacters / 1024 ** 2} Mi characters`)
        }
        return Stream.fromIterable(all)
      })))
    return Stream.concat(records, Stream.suspend(() => length === 0 ? Stream.empty : Stream.succeed(rest.join(""))))
  })

const separatorOf = (options: Options) => options.null ? "\0" : "\n"

const withoutReturn = (text: string): string => text.endsWith("\r") ? text.slice(0, -1) : text

const recordsOf = Effect.fnUntraced(function*(files: ReadonlyArray<string>, options: Options) {
  const stdio = yield* Stdio.Stdio
  const sources = files.length === 0 ? ["-"] : files
  if (sources.includes("-") && (yield* stdio.stdinIsTerminal)) {
    return yield* misuse("no text: give a file with --file, or lines on standard input")
  }
  const records = sources.map((file) => {
    const name = nameOf(file)
    const bytes = file === "-" ? stdio.stdin : bytesOf(file)
    return split(textIn(name, bytes), separatorOf(options), name)
  })
  const all = records.reduce((one, other) => Stream.concat(one, other))
  return options.null ? all : Stream.map(all, withoutReturn)
})

interface Sink {
  /** Number of records that an earlier run wrote. */
  readonly done: number
  readonly style: Style
  /** Compares an input record with the earlier run, or stores the hash of a new record before its result is written. */
  readonly see: (record: string, index: number) => Effect.Effect<void, FileUnusable | InvalidUsage>
  /** `onWrite` runs right before the write. */
  readonly write: (
    text: string,
    onWrite: () => void
  ) => Effect.Effect<void, FileUnusable | Effect.Error<ReturnType<typeof toStdout>>, Stdio.Stdio>
  readonly complete: Effect.Effect<void, FileUnusable>
}

/** Counts complete records, their bytes, and all bytes. */
const countIn = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, part: string, separator: string) {
  const byte = separator.charCodeAt(0)
  let done = 0
  let size = 0
  let bytes = 0
  yield* Stream.runForEach(fs.stream(part), (chunk) =>
    Effect.sync(() => {
      for (let at = chunk.indexOf(byte); at !== -1; at = chunk.indexOf(byte, at + 1)) {
        done++
        bytes = size + at + 1
      }
      size += chunk.length
    }))
  return { done, bytes, size }
})

/** The command, service and options that determine a run's results. */
export type About = Readonly<Record<string, unknown>>

const isAbout = (value: unknown): value is About => isObject(value) && !Array.isArray(value)

const decodeAbout = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const hashOf = (record: string): string => createHash("sha256").update(record).digest("hex").slice(0, 16)

const show = (value: unknown): string => value === undefined ? "absent" : JSON.stringify(value)

const differenceOf = (before: About, now: About): string | undefined => {
  const name = Object.keys({ ...before, ...now }).find((name) => show(before[name]) !== show(now[name]))
  return name === undefined ? undefined : `${name} was ${show(before[name])} and is ${show(now[name])}`
}

/**
 * Writes into a `.part` file, which is renamed to the target at the end and stays if the run stops. The `.part.resume` file contains the run's
 * options in its first line, then a hash of each input record.
 */
const toFile = Effect.fnUntraced(
  function*(output: string, overwrite: boolean, options: Options, separator: string, about: About) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const target = yield* Effect.orElseSucceed(fs.realPath(output), () => path.resolve(output))
    const part = `${target}.part`
    const note = `${part}.resume`
    const unusable = Output.unusable(output)
    yield* Effect.catchTags(NodeAtomicFile.claim(part), {
      Busy: ({ holder }) => Effect.fail(new FileUnusable({ message: `${output} is being written by ${holder}` })),
      PlatformError: (error) => Effect.fail(unusable(error))
    })
    const isThere = yield* Effect.mapError(fs.exists(part), unusable)
    if (isThere && !options.resume) {
      return yield* new FileUnusable({
        message: `${part} has the results of a run that stopped; continue with --resume, or delete it`
      })
    }
    const { bytes, done, size } = isThere
      ? yield* Effect.mapError(countIn(fs, part, separator), unusable)
      : { done: 0, bytes: undefined, size: 0 }
    // A run killed before its first result may have no `.resume` file.
    const isContinued = size > 0
    const [first = "", ...seen] = isContinued
      ? (yield* Effect.orElseSucceed(fs.readFileString(note), () => "")).split("\n")
      : []
    const hashes = seen.slice(0, done)
    const before = Option.getOrUndefined(decodeAbout(first))
    if (isContinued) {
      const incomplete = `${note}, the note about ${part}, is missing or incomplete`
      const difference = isAbout(before)
        ? differenceOf(before, about) ?? (hashes.length === done ? undefined : incomplete)
        : incomplete
      if (difference !== undefined) {
        return yield* misuse(`--resume: ${difference}; give the options and the input of that run, or delete ${part}`)
      }
    }
    const file = yield* Effect.mapError(
      NodeAtomicFile.open(output, { overwrite, part: { name: path.basename(part), bytes } }),
      unusable
    )
    // The `.resume` file is truncated, never rewritten, so that a kill or a full disk loses no hash of a paid result.
    const noteOfDone = [first, ...hashes].map((line) => `${line}\n`).join("")
    yield* Effect.mapError(
      isContinued
        ? fs.truncate(note, Buffer.byteLength(noteOfDone))
        : fs.writeFileString(note, `${JSON.stringify(about)}\n`, { mode: 0o600 }),
      unusable
    )
    const noted = yield* Effect.mapError(fs.open(note, { flag: "a" }), unusable)
    const encoder = new TextEncoder()
    return {
      done,
      style: plain,
      see: (record, index) => {
        const hash = hashOf(record)
        if (index >= done) return Effect.mapError(noted.writeAll(encoder.encode(`${hash}\n`)), unusable)
        return hash === hashes[index]
          ? Effect.void
          : misuse(
            `--resume: line ${
              index + 1 + (options.skip ?? 0)
            } of the input differs from the run of ${part}; delete it to start anew`
          )
      },
      write: (text, onWrite) => Effect.mapError(Effect.andThen(Effect.sync(onWrite), file.write(text)), unusable),
      complete: Effect.mapError(Effect.andThen(file.commit, fs.remove(note)), unusable)
    } satisfies Sink
  }
)

const toScreen = Effect.map(
  stdoutStyle,
  (style): Sink => ({ done: 0, style, see: () => Effect.void, write: toStdout, complete: Effect.void })
)

const oneRecord = (text: string, options: Options): string => options.null ? text : text.replace(/\r?\n|\r/g, " ")

/**
 * Sends the input's records and writes the results in order. A blank record has an empty result, without a request. If the run stops, a
 * message names the flag that continues the run.
 */
export const run = Effect.fnUntraced(
  function*<A extends object, E, R>(
    { about, files: paths, options, target, texts }: {
      readonly about: About
      readonly files: ReadonlyArray<string>
      readonly texts: ReadonlyArray<string>
      readonly options: Options
      readonly target: Output.Target
    },
    send: (texts: Stream.Stream<string, FileUnusable | InvalidUsage>) => Stream.Stream<A, E, R>,
    textOf: (result: A) => string
  ) {
    const files = [...paths, ...texts]
    yield* misuseIf(texts.some((text) => text !== "-"), "--lines and --null read files or standard input, not texts")
    yield* misuseIf(options.lines && options.null, "--lines and --null exclude each other")
    yield* misuseIf(
      options.resume && target.output === undefined,
      "--resume continues the file of --output; else give --skip"
    )
    const isJson = yield* Settings.Json
    const separator = isJson ? "\n" : separatorOf(options)
    const { skip = 0 } = options
    const { complete, done, see, style, write } = target.output === undefined
      ? yield* toScreen
      : yield* toFile(target.output, target.overwrite, options, separator, {
        ...about,
        json: isJson,
        null: options.null,
        skip
      })
    const first = done + skip
    let read = 0
    const records = Stream.drop(yield* recordsOf(files, options), skip).pipe(
      Stream.tap((record) => see(record, read++)),
      Stream.concat(Stream.drain(Stream.fromEffect(Effect.suspend(() =>
        read < done
          ? misuse(`--resume: the input ends before line ${skip + read + 1}; give the input of the run that stopped`)
          : Effect.void
      )))),
      Stream.drop(done)
    )
    const render = (text: string, result: object): string =>
      isJson ? `${Output.line(result)}\n` : `${style.clean(oneRecord(text, options))}${separator}`

    let written = 0
    // For each text that awaits its result, the number of blank records between the previous text and this text.
    const blanks: Array<number> = []
    let blank = 0
    const writeRecord = (text: string) =>
      Effect.suspend(() => {
        const before = written
        const count = (number: number) => () => {
          written = number
        }
        return Effect.tapError(write(text, count(before + 1)), () => Effect.sync(count(before)))
      })
    const writeBlanks = (number: number) =>
      Effect.forEach(Array.from({ length: number }), () => writeRecord(render("", { text: "" })), { discard: true })
    const sent = Stream.filter(records, (record) => {
      const isText = record.trim() !== ""
      if (isText) blanks.push(blank)
      blank = isText ? 0 : blank + 1
      return isText
    })
    yield* Stream.runForEach(
      send(sent),
      (result) => Effect.andThen(writeBlanks(blanks.shift() ?? 0), writeRecord(render(textOf(result), result)))
    ).pipe(
      Effect.andThen(Effect.suspend(() => writeBlanks(blank))),
      Effect.onError(() => {
        const at = first + written
        const how = target.output === undefined ? `--skip ${at}` : "--resume"
        return toStderr(
          `${program}: stopped at line ${at + 1}: the results of ${at} are written; continue with ${how}\n`
        )
      })
    )
    yield* complete
  },
  Effect.scoped
)
