/**
 * A command line of your own: the commands of `effect-lingua`, and commands of resources from outside.
 *
 * **Example** (A command of an invented resource, whose contract and service are in `Notes.ts`, its handlers in `fakeNotes.ts`)
 *
 * ```ts
 * const call = CommandLine.calling({ services: () => import("./Notes.ts"), fake: () => import("./fakeNotes.ts") })
 * const get = CommandLine.command("notes get", {
 *   ...CommandLine.fromEndpoint(getNote, { noteId: ["The id of a note"] }),
 *   run: (ref) =>
 *     Effect.map(call(({ Notes }) => Notes.use((notes) => notes.get(ref.noteId))), (note) =>
 *       CommandLine.texts([note], ({ text }) => text))
 * })
 * CommandLine.runMain({ NOTES: [CommandLine.group("notes", [get], "Notes of this account")] })
 * ```
 *
 * @since 0.3.0
 */
export { calling, type Resource } from "./client/client.ts"
export { command, fromEndpoint, group } from "./commands/command.ts"
export { type Results, rows, texts } from "./files/output.ts"
export { type Added, run } from "./main.ts"
export { runMain } from "./process.ts"
export type { Ended, Failure } from "./screen/failures.ts"
export type {
  FileUnusable,
  InvalidSetting,
  InvalidUsage,
  NoSuchDocument,
  PipeClosed,
  ProblemsFound
} from "./settings/errors.ts"
