/** The calls of the table: at least one of each kind of operation, with the body of a success and its value. */
import { DocumentId, GlossaryId, StyleId } from "@effect-lingua/core/contract/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import { Languages } from "@effect-lingua/core/languages/Languages"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { Effect, Redacted, type Scope, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../support/documents.ts"

interface Failure extends Error {
  readonly _tag: string
}

/** A call whose value is a text, for comparison. */
export interface Call {
  readonly operation: string
  readonly run: Effect.Effect<string, Failure, LanguageService | NodeDocuments | OtherServices | Scope.Scope>
  /** The body of a success. */
  readonly body: string
  readonly status?: string
  /** The value of the call after that body. */
  readonly value: string
  /** The request lines of the call itself, if it makes other requests, as for the state of its document. */
  readonly asked?: RegExp
}

const styleId = StyleId.make("5f0f6a52-2f0e-4a0c-9a43-0d1c9f6b7e10")
const document = { documentId: DocumentId.make("doc-1"), documentKey: Redacted.make("0011223344556677") }
const list = JSON.stringify({
  style_id: styleId,
  name: "House style",
  creation_time: "2026-03-01T08:00:00Z",
  updated_time: "2026-03-02T09:30:00Z",
  language: "en",
  version: 4,
  configured_rules: {},
  custom_instructions: []
})

/** Reads a list, without effect and without cost. */
export const read: Call = {
  operation: "Languages.resources",
  run: Languages.use((languages) => languages.resources).pipe(
    Effect.map((resources) => resources.map(({ name }) => name).join())
  ),
  body: "[{\"name\":\"voice\",\"features\":[]}]",
  value: "voice"
}

/** Two consecutive reads. */
export const twice: Call = {
  ...read,
  run: Effect.map(Effect.all([read.run, read.run]), (values) => values.join()),
  value: "voice,voice"
}

/** Entries of a glossary: a body of tab-separated values, not JSON. */
export const entries: Call = {
  operation: "GlossariesV2.entries",
  run: GlossariesV2.use((glossaries) => glossaries.entries({ glossaryId: GlossaryId.make("c1a7b6de") })),
  body: "screw\tSchraube\nnut\tMutter",
  value: "screw\tSchraube\nnut\tMutter",
  asked: / \/v2\/glossaries\/\w+\/entries /
}

/** Counts characters. */
export const translate: Call = {
  operation: "Translation.translate",
  run: Translation.use((translation) => translation.translate({ text: ["Good day"], targetLanguage: "de" })).pipe(
    Effect.map((translations) => translations.map(({ text }) => text).join())
  ),
  body: "{\"translations\":[{\"detected_source_language\":\"EN\",\"text\":\"Guten Tag\"}]}",
  value: "Guten Tag"
}

/** Counts characters too. */
export const correct: Call = {
  operation: "Writing.correct",
  run: Writing.use((writing) => writing.correct({ text: ["This are fine."] })).pipe(
    Effect.map((improvements) => improvements.map(({ text }) => text).join())
  ),
  body: "{\"improvements\":[{\"text\":\"Fine.\",\"detected_source_language\":\"en\",\"target_language\":\"en-GB\"}]}",
  value: "Fine."
}

/** Creates a list of style rules. */
export const create: Call = {
  operation: "StyleRules.create",
  run: StyleRules.use((rules) => rules.create({ name: "House style", language: "en" })).pipe(
    Effect.map(({ name }) => name)
  ),
  body: list,
  status: "201 Created",
  value: "House style"
}

/** Renames a list of style rules. */
export const rename: Call = {
  operation: "StyleRules.rename",
  run: StyleRules.use((rules) => rules.rename({ styleId, name: "House style" })).pipe(Effect.map(({ name }) => name)),
  body: list,
  value: "House style"
}

/** Deletes a list of style rules. */
export const remove: Call = {
  operation: "StyleRules.remove",
  run: StyleRules.use((rules) => rules.remove({ styleId })).pipe(Effect.as("removed")),
  body: "",
  status: "204 No Content",
  value: "removed"
}

/** Uploads a document. */
const uploadOf = (content: Uint8Array | Stream.Stream<Uint8Array>): Call => ({
  operation: "Documents.upload",
  run: Documents.use((documents) => documents.upload({ content, fileName: "letter.txt", targetLanguage: "de" })).pipe(
    Effect.map(({ documentId }) => documentId)
  ),
  body: "{\"document_id\":\"doc-1\",\"document_key\":\"0011223344556677\"}",
  value: "doc-1"
})

export const upload: Call = uploadOf(new TextEncoder().encode("Good day"))

/** An upload larger than the buffers of a connection. */
export const uploadLarge: Call = uploadOf(new Uint8Array(16 * 1024 * 1024).fill(0x61))

/** The same upload as a stream of unknown length. */
export const uploadStream: Call = uploadOf(
  Stream.fromIterable(Array.from({ length: 256 }, () => new Uint8Array(64 * 1024).fill(0x61)))
)

/** Reads the state of a document. */
export const status: Call = {
  operation: "Documents.status",
  run: Documents.use((documents) => documents.status(document)).pipe(Effect.map(({ status }) => status)),
  body: "{\"document_id\":\"doc-1\",\"status\":\"done\"}",
  value: "done"
}

/** Downloads a document, which the service returns only once. */
export const download: Call = {
  operation: "Documents.download",
  run: Documents.use((documents) => documents.download(document)).pipe(
    Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream)))
  ),
  body: "hello",
  value: "hello",
  asked: / \/v2\/document\/[\w-]+\/result /
}

/** Saves a document. The value is the content of the folder and of the file. */
export const save: Call = {
  operation: "Documents.download",
  run: Effect.flatMap(
    folder,
    (directory) =>
      NodeDocuments.use((documents) => documents.downloadToFile({ ...document, target: join(directory, "letter.txt") }))
        .pipe(
          Effect.map(({ path }) => `${readdirSync(directory).join()}: ${readFileSync(path, "utf8")}`)
        )
  ),
  body: download.body,
  value: "letter.txt: hello",
  asked: / \/v2\/document\/[\w-]+\/result /
}
