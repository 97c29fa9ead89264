/** Writes results to standard output, or atomically to a file. */
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import type { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { plain, stdoutStyle, type Style, tell, toStdout } from "../screen/screen.ts"
import { type Columns, fields, table } from "../screen/table.ts"
import { type BadFile, FileUnusable, ProblemsFound, unwritable } from "../settings/errors.ts"
import { text, toggle } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"

type Result = object | string | number | boolean | null

export interface Results {
  /** Output with `--json`, one value for each result. */
  readonly json: ReadonlyArray<Result>
  /** Output without `--json`. */
  readonly human: (style: Style) => string
  /** Runs after the results are written. */
  readonly after?: Effect.Effect<
    void,
    BadFile | FileUnusable | ProblemsFound | ErrorOf<typeof Translation, "translate">,
    Effect.Services<ReturnType<typeof tell>>
  >
}

/** Results as a table. `--json` prints `json`, by default the rows. */
export const rows = <A extends object>(
  values: ReadonlyArray<A>,
  columns: Columns<A>,
  json: ReadonlyArray<object> = values
): Results => ({ json, human: (style) => table(style, columns, values) })

/** An object as a list of fields, with a table of the object's parts. */
export const object = <A>(
  found: object,
  values: Parameters<typeof fields>[1],
  columns: Columns<A>,
  parts: ReadonlyArray<A> = []
): Results => ({
  json: [found],
  human: (style) => [fields(style, values), ...(parts.length === 0 ? [] : [table(style, columns, parts)])].join("\n\n")
})

/** Results as texts, separated by line breaks. */
export const texts = <A extends Result>(values: ReadonlyArray<A>, textOf: (value: A) => string): Results => ({
  json: values,
  human: ({ clean }) => values.map((value) => clean(textOf(value))).join("\n")
})

/** A result for `--json` only, and a message on standard error. */
export const done = (state: string, message: string, about: Readonly<Record<string, string>>): Results => ({
  json: [{ ...about, [state]: true }],
  human: () => "",
  after: tell(state, message, about)
})

/** Fails with the number of reported problems, if there are any. */
export const problems = (count: number, one: string, many: string): Effect.Effect<void, ProblemsFound> =>
  count === 0
    ? Effect.void
    : Effect.fail(new ProblemsFound({ message: count === 1 ? `one ${one}` : `${count} ${many}` }))

export const flags = {
  output: Flag.map(
    text("output", "file", "Write the results to a file, completely or not at all; - for standard output"),
    (file) => file === "-" ? undefined : file
  ),
  overwrite: toggle("overwrite", "Replace the file of --output if it exists")
}

export type Target = Command.Command.Config.Infer<typeof flags>

const ending = (text: string): string => text === "" || text.endsWith("\n") ? text : `${text}\n`

/** One line of JSON, in which all control characters are escaped. */
export const line = (result: Result): string =>
  JSON.stringify(result).replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

const render = (json: boolean, style: Style, results: Results): string =>
  json
    ? results.json.map((result) => `${line(result)}\n`).join("")
    : ending(results.human(style))

export const print = Effect.fnUntraced(function*(results: Results) {
  yield* toStdout(render(yield* Settings.Json, yield* stdoutStyle, results))
  if (results.after !== undefined) yield* results.after
})

export const unusable = (file: string) => (error: PlatformError) =>
  error.reason._tag === "AlreadyExists"
    ? new FileUnusable({ message: `${file} exists; name another file or replace it with --overwrite` })
    : unwritable(file)(error)

/** Runs an effect and writes its results. The target is opened before the effect runs. */
export const deliver = Effect.fnUntraced(function*<E, R>(
  { output, overwrite }: Target,
  effect: Effect.Effect<Results, E, R>
) {
  if (output === undefined) return yield* print(yield* effect)
  const file = yield* Effect.mapError(NodeAtomicFile.open(output, { overwrite }), unusable(output))
  const results = yield* effect
  const written = Effect.andThen(file.write(render(yield* Settings.Json, plain, results)), file.commit)
  yield* Effect.mapError(written, unusable(output))
  if (results.after !== undefined) yield* results.after
}, Effect.scoped)
