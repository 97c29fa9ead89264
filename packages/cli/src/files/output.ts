/** The output of results: to standard output, or to a file, which is written completely or not at all. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Random from "effect/Random"
import { plain, stdoutStyle, type Style, tell, toStdout } from "../screen/screen.ts"
import { type Columns, table } from "../screen/table.ts"
import { FileUnusable, type ProblemsFound, why } from "../settings/errors.ts"
import { text, toggle } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"

/** A value that can be written as JSON. */
type Result = object | string | number | boolean | null

/** The results of a command. */
export interface Results {
  /** One value for each result, for programs. */
  readonly json: ReadonlyArray<Result>
  /** All results as a text, for people. */
  readonly human: (style: Style) => string
  /** Runs once the results are written. */
  readonly after?: Effect.Effect<void, ProblemsFound, Effect.Services<ReturnType<typeof tell>>>
}

/** Results as a table. */
export const rows = <A extends object>(values: ReadonlyArray<A>, columns: Columns<A>): Results => ({
  json: values,
  human: (style) => table(style, columns, values)
})

/** Results as texts, one after the other. */
export const texts = <A extends Result>(values: ReadonlyArray<A>, textOf: (value: A) => string): Results => ({
  json: values,
  human: ({ clean }) => values.map((value) => clean(textOf(value))).join("\n")
})

/** The result of a command that prints nothing for people: a message on standard error says that it is done. */
export const done = (state: string, message: string, about: Readonly<Record<string, string>>): Results => ({
  json: [{ ...about, [state]: true }],
  human: () => "",
  after: tell(state, message, about)
})

/** The flags of a command with results. */
export const flags = {
  output: text("output", "file", "Write the results to a file, completely or not at all"),
  overwrite: toggle("overwrite", "Replace the file of --output if it exists")
}

/** The values of these flags. */
export interface Target {
  readonly output: string | undefined
  readonly overwrite: boolean
}

const ending = (text: string): string => text === "" || text.endsWith("\n") ? text : `${text}\n`

/** One line of JSON. Control characters that JSON may contain, and that a terminal would obey, are escaped too. */
export const line = (result: Result): string =>
  JSON.stringify(result).replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

const render = (json: boolean, style: Style, results: Results): string =>
  json
    ? results.json.map((result) => `${line(result)}\n`).join("")
    : ending(results.human(style))

/** Writes results to standard output. */
export const print = Effect.fnUntraced(function*(results: Results) {
  yield* toStdout(render(yield* Settings.Json, yield* stdoutStyle, results))
  if (results.after !== undefined) yield* results.after
})

/** Opens a temporary file in the folder of the target before the call, so that a target that cannot be written costs nothing. */
export const open = Effect.fnUntraced(function*(given: string, overwrite: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const unusable = (error: PlatformError) => new FileUnusable({ message: `${given} cannot be written: ${why(error)}` })
  const named = path.resolve(given)
  // The file that a link leads to is written; the link stays.
  const target = yield* Effect.orElseSucceed(fs.realPath(named), () => named)
  const present = yield* Effect.option(fs.stat(target))
  if (present._tag === "Some") {
    if (present.value.type !== "File") {
      const what = present.value.type === "Directory" ? "a folder" : "not a regular file"
      return yield* new FileUnusable({ message: `${given} cannot be written: it is ${what}` })
    }
    if (!overwrite) {
      return yield* new FileUnusable({ message: `${given} exists; name another file or replace it with --overwrite` })
    }
  }
  const suffix = (yield* Random.nextIntBetween(0, 2 ** 32)).toString(16).padStart(8, "0")
  const temporary = path.join(path.dirname(target), `.${path.basename(target).slice(0, 64)}.${suffix}.part`)
  const mode = present._tag === "Some" ? { mode: present.value.mode & 0o777 } : undefined
  yield* Effect.acquireRelease(
    Effect.mapError(fs.writeFileString(temporary, "", { flag: "wx", ...mode }), unusable),
    () => Effect.ignore(fs.remove(temporary))
  )
  return (text: string) =>
    fs.writeFileString(temporary, text).pipe(
      Effect.andThen(
        overwrite
          ? fs.rename(temporary, target)
          // A link does not replace a file that appeared meanwhile; some file systems have none.
          : Effect.catchIf(
            fs.link(temporary, target),
            (error) => error.reason._tag !== "AlreadyExists",
            () => Effect.andThen(fs.writeFileString(target, "", { flag: "wx" }), fs.rename(temporary, target))
          )
      ),
      Effect.mapError(unusable)
    )
})

/** Runs an effect and writes its results. The target is checked before, so before anything is sent. */
export const deliver = Effect.fnUntraced(function*<E, R>(
  { output, overwrite }: Target,
  effect: Effect.Effect<Results, E, R>
) {
  if (output === undefined) return yield* print(yield* effect)
  const write = yield* open(output, overwrite)
  const results = yield* effect
  yield* write(render(yield* Settings.Json, plain, results))
  if (results.after !== undefined) yield* results.after
}, Effect.scoped)
