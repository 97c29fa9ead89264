/**
 * The schema of the project file, and errors for unusable files.
 *
 * @since 0.3.0
 */
import * as Schema from "effect/Schema"

const Text = Schema.NonEmptyString

/**
 * Options for translating texts, as in `Translation.translate`. Glossaries, style rules and translation memories are names or ids. Texts whose
 * id matches a pattern in `exclude` are copied, not translated. With `keyAsContext` a text's id is added to its context.
 *
 * @category schemas
 * @since 0.3.0
 */
export const TextSettings = Schema.Struct({
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
})

/**
 * Options for translating texts.
 *
 * @category models
 * @since 0.3.0
 */
export type TextSettings = typeof TextSettings.Type

/**
 * Settings for one language: `path` is its code in paths, `service` its code in the API, and the rest are translation options.
 *
 * @category schemas
 * @since 0.3.0
 */
export const LanguageSettings = Schema.Struct({
  path: Schema.optionalKey(Text),
  service: Schema.optionalKey(Text),
  ...TextSettings.fields
})

/**
 * Settings for one language: codes, and translation options.
 *
 * @category models
 * @since 0.3.0
 */
export type LanguageSettings = typeof LanguageSettings.Type

const settings = {
  ...TextSettings.fields,
  /** Settings per code of the source language or a target language. */
  languages: Schema.optionalKey(Schema.Record(Schema.String, LanguageSettings))
}

/**
 * Files to translate: a path with `{language}`, or an object with settings, the target path and, if it differs, the source path.
 * `*` matches part of a name, `**` any folders.
 *
 * @category schemas
 * @since 0.3.0
 */
export const Files = Schema.Union([
  Text,
  Schema.Struct({ source: Schema.optionalKey(Text), target: Text, ...settings })
])

/**
 * A pattern or an object.
 *
 * @category models
 * @since 0.3.0
 */
export type Files = typeof Files.Type

/**
 * The content of the project file, `effect-lingua.json`. Paths are relative to the folder of that file. The most specific setting applies:
 * first the language in an entry of `files`, then the entry, the language in the project, the project.
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
  /** The command line's settings for this project. */
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
 * Localization files found in a folder.
 *
 * @category models
 * @since 0.3.0
 */
export interface Discovered {
  readonly source: string
  readonly targets: ReadonlyArray<string>
  readonly files: ReadonlyArray<Files>
  /** A file of each target language that exists. */
  readonly translations: Readonly<Record<string, string>>
  /** Files that have the name of a language, but no text of the source. */
  readonly ignored: ReadonlyArray<string>
}

const failure = { file: Schema.String, problem: Schema.String }

/**
 * The project file or its lock file is missing or invalid, or names files that do not exist, are outside of its folder, or belong to two sources.
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
 * A localization file does not parse in its format. `problem` contains the position.
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
 * A file cannot be read or written, is in use by another process, or changed while it was read.
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
