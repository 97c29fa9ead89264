/**
 * The project file, which names the localization files of a program, and the errors of its files.
 *
 * @since 0.3.0
 */
import * as Schema from "effect/Schema"

const Text = Schema.NonEmptyString

const textSettings = {
  placeholders: Schema.optionalKey(Schema.Literals(["brace", "icu", "mustache", "printf"])),
  glossary: Schema.optionalKey(Text),
  styleRules: Schema.optionalKey(Text),
  formality: Schema.optionalKey(Text),
  translationMemory: Schema.optionalKey(Text),
  splitSentences: Schema.optionalKey(Text),
  preserveFormatting: Schema.optionalKey(Schema.Boolean),
  modelType: Schema.optionalKey(Text),
  customInstructions: Schema.optionalKey(Schema.Array(Text)),
  exclude: Schema.optionalKey(Schema.Array(Text)),
  keyAsContext: Schema.optionalKey(Schema.Boolean)
}

/**
 * How texts are translated: the options of `Translation.translate`. Resources are names or ids. Texts whose id matches one of `exclude` stay as the
 * source has them. With `keyAsContext` the id of a text is sent as its context.
 *
 * @category schemas
 * @since 0.3.0
 */
export const TextSettings = Schema.Struct(textSettings)

/**
 * How texts are translated.
 *
 * @category models
 * @since 0.3.0
 */
export type TextSettings = typeof TextSettings.Type

/**
 * The settings of a language: its codes in paths and for the service, and how its texts are translated.
 *
 * @category schemas
 * @since 0.3.0
 */
export const LanguageSettings = Schema.Struct({
  path: Schema.optionalKey(Text),
  service: Schema.optionalKey(Text),
  ...textSettings
})

/**
 * The settings of a language.
 *
 * @category models
 * @since 0.3.0
 */
export type LanguageSettings = typeof LanguageSettings.Type

const settings = {
  ...textSettings,
  /** By the code of a target or of the source. */
  languages: Schema.optionalKey(Schema.Record(Schema.String, LanguageSettings))
}

/**
 * A path with `{language}`, or an object with settings, whose source can have another name. `*` matches a part of a name, `**`
 * any folders.
 *
 * @category schemas
 * @since 0.3.0
 */
export const Files = Schema.Union([
  Text,
  Schema.Struct({ source: Schema.optionalKey(Text), target: Text, ...settings })
])

/**
 * Paths of files.
 *
 * @category models
 * @since 0.3.0
 */
export type Files = typeof Files.Type

/**
 * What to translate, and how: the content of `effect-lingua.json`. Paths are relative to the folder of that file. The settings nearest to
 * a text apply, in this order: its language in an entry of `files`, that entry, the language, the project.
 *
 * **Example** (A project file)
 *
 * ```ts import.meta.vitest
 * import { Project } from "@effect-lingua/localization"
 * import { Schema } from "effect"
 *
 * const project = Schema.decodeUnknownSync(Project.Project)({ source: "en", targets: ["de"], files: ["locales/{language}.json"] })
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
  ...settings,
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
 * The localization files of a folder: a project without other settings.
 *
 * @category models
 * @since 0.3.0
 */
export interface Discovered {
  readonly source: string
  readonly targets: ReadonlyArray<string>
  readonly files: ReadonlyArray<Files>
}

const failure = { file: Schema.String, problem: Schema.String }

/**
 * The project file or its lock cannot be used: it is missing, has an invalid setting, or names files that do not exist, are outside of its
 * folder, or belong to two sources. `problem` says what to change.
 *
 * @category errors
 * @since 0.3.0
 */
export class InvalidProject extends Schema.TaggedError<InvalidProject>()("InvalidProject", failure) {
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
export class InvalidFile extends Schema.TaggedError<InvalidFile>()("InvalidFile", failure) {
  override get message(): string {
    return `${this.file}: ${this.problem}`
  }
}

/**
 * A file cannot be read or written, or changed between the two.
 *
 * @category errors
 * @since 0.3.0
 */
export class UnusableFile extends Schema.TaggedError<UnusableFile>()("UnusableFile", {
  ...failure,
  operation: Schema.Literals(["read", "written"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `${this.file} cannot be ${this.operation}: ${this.problem}`
  }
}
