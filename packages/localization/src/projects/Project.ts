/**
 * The project file, which names the localization files of a program, and the errors of its files.
 *
 * @since 0.3.0
 */
import * as Schema from "effect/Schema"

const Text = Schema.NonEmptyString

/**
 * A path with `{language}`, or a source whose name does not have its language. `*` stands for a part of a name, `**` for any folders.
 *
 * @category schemas
 * @since 0.3.0
 */
export const Files = Schema.Union([Text, Schema.Struct({ source: Text, target: Text })])

/**
 * Paths of files.
 *
 * @category models
 * @since 0.3.0
 */
export type Files = typeof Files.Type

/**
 * What to translate, and how: the content of `effect-lingua.json`. Paths are relative to the folder of that file. The options of texts are
 * those of `Translation.translate`; glossary, style list and translation memory are names or ids.
 *
 * **Example** (A project file)
 *
 * ```ts import.meta.vitest
 * import { Project } from "@effect-lingua/localization/projects/Project"
 * import { Schema } from "effect"
 *
 * const project = Schema.decodeUnknownSync(Project)({ source: "en", targets: ["de"], files: ["locales/{language}.json"] })
 * project.targets // => ["de"]
 * ```
 *
 * @category schemas
 * @since 0.3.0
 */
export const Project = Schema.Struct({
  source: Text,
  targets: Schema.NonEmptyArray(Text),
  files: Schema.NonEmptyArray(Files),
  placeholders: Schema.optionalKey(Schema.Literals(["brace", "icu", "mustache", "printf"])),
  glossary: Schema.optionalKey(Text),
  styleRules: Schema.optionalKey(Text),
  formality: Schema.optionalKey(Text),
  translationMemory: Schema.optionalKey(Text),
  splitSentences: Schema.optionalKey(Text),
  preserveFormatting: Schema.optionalKey(Schema.Boolean),
  modelType: Schema.optionalKey(Text),
  customInstructions: Schema.optionalKey(Schema.Array(Text)),
  removed: Schema.optionalKey(Schema.Literals(["delete", "stop"])),
  maxCharacters: Schema.optionalKey(Schema.Int),
  /** The settings of the command line for this project. */
  settings: Schema.optionalKey(Schema.Json)
})

/**
 * The content of a project file.
 *
 * @category models
 * @since 0.3.0
 */
export type Project = typeof Project.Type

/**
 * The project file or the lock beside it cannot be used as it is: it is missing, has an unknown or invalid setting, or names files that do
 * not exist, that are outside of its folder, or that belong to two sources. `problem` says what to change.
 *
 * @category errors
 * @since 0.3.0
 */
export class InvalidProject extends Schema.TaggedError<InvalidProject>()("InvalidProject", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file}: ${this.problem}`
  }
}

/**
 * A localization file is not of its format. `problem` has the position.
 *
 * @category errors
 * @since 0.3.0
 */
export class InvalidFile extends Schema.TaggedError<InvalidFile>()("InvalidFile", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file}: ${this.problem}`
  }
}

/**
 * A file cannot be read or written, or was changed by another program between the two.
 *
 * @category errors
 * @since 0.3.0
 */
export class UnusableFile extends Schema.TaggedError<UnusableFile>()("UnusableFile", {
  file: Schema.String,
  operation: Schema.Literals(["read", "written"]),
  problem: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `${this.file} cannot be ${this.operation}: ${this.problem}`
  }
}
