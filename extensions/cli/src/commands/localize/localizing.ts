/** The library of localization with the errors of the command line, loaded only by its commands. */
import * as Localization from "@effect-lingua/localization/Localization"
import type { InvalidFile, InvalidProject, UnusableFile } from "@effect-lingua/localization/projects/Project"
import * as Effect from "effect/Effect"
import { counts } from "../../screen/progress.ts"
import { FileUnusable, InvalidSetting } from "../../settings/errors.ts"

/** Maps the errors of the library to those with an exit code. */
const mapped = {
  InvalidProject: ({ message }: InvalidProject) => Effect.fail(new InvalidSetting({ message })),
  InvalidFile: ({ message }: InvalidFile) => Effect.fail(new InvalidSetting({ message })),
  UnusableFile: ({ message }: UnusableFile) => Effect.fail(new FileUnusable({ message }))
}

/** Opens a project. */
export const open = (options: Localization.Options) => Effect.catchTags(Localization.open(options), mapped)

/** Finds the localization files of a folder. */
export const { discover } = Localization

type Opened = Effect.Success<ReturnType<typeof Localization.open>>

/** Finds the languages of a project in the list of the service. */
export const resolved = (opened: Opened) => Effect.catchTag(opened.resolved, "InvalidProject", mapped.InvalidProject)

/** Runs a project, with its progress at a terminal. */
export const run = Effect.fnUntraced(function*(opened: Opened, options: Localization.RunOptions) {
  const show = yield* counts
  const onProgress = ({ done, file, total }: Localization.Progress) => show(file, done, total)
  return yield* Effect.catchTags(opened.run({ ...options, onProgress }), mapped)
}, Effect.scoped)
