/** The calls of the table: at least one of each kind of operation, with the body of a success and its value. */
import { Documents, GlossariesV2, Ids, Languages, StyleRules, Translation, Writing } from "@effect-lingua/core"
import type { LanguageService, LanguageServiceApi, OtherServices } from "@effect-lingua/core"
import { NodeDocuments } from "@effect-lingua/node"
import { Effect, Redacted, type Scope, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../support/documents.ts"

interface Failure extends Error {
  readonly _tag: string
}

type Services = LanguageService.LanguageService | NodeDocuments | OtherServices.OtherServices | Scope.Scope

/** A call whose value is a text, for comparison. */
export interface Call {
  readonly operation: LanguageServiceApi.OperationName
  readonly run: Effect.Effect<string, Failure, Services>
  /** The body of a success. */
  readonly body: string
  readonly status?: string
  /** The value of the call after that body. */
  readonly value: string
  /** The request lines of the call itself, if it makes other requests, as for the state of its document. */
  readonly asked?: RegExp
}

const styleId = Ids.StyleId.make("5f0f6a52-2f0e-4a0c-9a43-0d1c9f6b7e10")
const document = { documentId: Ids.DocumentId.make("doc-1"), documentKey: Redacted.make("0011223344556677") }
const times = { creation_time: "2026-03-01T08:00:00Z", updated_time: "2026-03-02T09:30:00Z" }
const rules = { version: 4, configured_rules: {}, custom_instructions: [] }
const list = JSON.stringify({ style_id: styleId, name: "House style", language: "en", ...times, ...rules })

const namesOf = (all: ReadonlyArray<{ readonly name: string }>) => all.map(({ name }) => name).join()
const textsOf = (all: ReadonlyArray<{ readonly text: string }>) => all.map(({ text }) => text).join()

/** Reads a list, without effect and without cost. */
export const read: Call = {
  operation: "Languages.resources",
  run: Effect.map(Languages.use(({ resources }) => resources), namesOf),
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
  run: GlossariesV2.use((glossaries) => glossaries.entries({ glossaryId: Ids.GlossaryId.make("c1a7b6de") })),
  body: "screw\tSchraube\nnut\tMutter",
  value: "screw\tSchraube\nnut\tMutter",
  asked: / \/v2\/glossaries\/\w+\/entries /
}

/** Counts characters. */
export const translate: Call = {
  operation: "Translation.translate",
  run: Effect.map(Translation.use((_) => _.translate({ text: ["Good day"], targetLanguage: "de" })), textsOf),
  body: "{\"translations\":[{\"detected_source_language\":\"EN\",\"text\":\"Guten Tag\"}]}",
  value: "Guten Tag"
}

/** Counts characters too. */
export const correct: Call = {
  operation: "Writing.correct",
  run: Effect.map(Writing.use((writing) => writing.correct({ text: ["This are fine."] })), textsOf),
  body: "{\"improvements\":[{\"text\":\"Fine.\",\"detected_source_language\":\"en\",\"target_language\":\"en-GB\"}]}",
  value: "Fine."
}

/** Creates a list of style rules. */
export const create: Call = {
  operation: "StyleRules.create",
  run: Effect.map(StyleRules.use((_) => _.create({ name: "House style", language: "en" })), ({ name }) => name),
  body: list,
  status: "201 Created",
  value: "House style"
}

export const rename: Call = {
  operation: "StyleRules.rename",
  run: Effect.map(StyleRules.use((_) => _.rename({ styleId, name: "House style" })), ({ name }) => name),
  body: list,
  value: "House style"
}

export const remove: Call = {
  operation: "StyleRules.remove",
  run: Effect.as(StyleRules.use((_) => _.remove({ styleId })), "removed"),
  body: "",
  status: "204 No Content",
  value: "removed"
}

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
  run: Effect.map(Documents.use((documents) => documents.status(document)), ({ status }) => status),
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
  ...download,
  run: Effect.flatMap(folder, (directory) =>
    Effect.map(
      NodeDocuments.use((_) => _.downloadToFile({ ...document, target: join(directory, "letter.txt") })),
      ({ path }) => `${readdirSync(directory).join()}: ${readFileSync(path, "utf8")}`
    )),
  value: "letter.txt: hello"
}
