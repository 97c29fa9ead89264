/** What `document` asks and tells: status, pending, forget. */
import * as Attempt from "@effect-lingua/core/client/Attempt"
import { type DocumentRef, Documents } from "@effect-lingua/core/documents/Documents"
import { DocumentId, type DocumentStatus } from "@effect-lingua/core/documents/DocumentsApi"
import * as DocumentJournal from "@effect-lingua/core/documents/Journal"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Journal from "../../client/journal.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { advised } from "../../screen/advised.ts"
import { type Style, table, tell } from "../../screen/screen.ts"
import { NoSuchDocument } from "../../settings/errors.ts"

/** A document, and where its key is when the journal does not know it. */
export interface Given {
  readonly id: string
  readonly keyFile: string | undefined
}

/** The reference of a document that the journal does not know. */
export const refOf = Effect.fnUntraced(function*({ id, keyFile }: Given) {
  const key = keyFile === undefined
    ? Option.getOrUndefined(yield* Config.option(Config.Redacted("LANGUAGE_SERVICE_DOCUMENT_KEY")))
    : Redacted.make((yield* fileText(keyFile)).trim())
  if (key === undefined) {
    yield* Journal.get(id)
    return yield* new NoSuchDocument({
      message: `the journal does not know ${id}: set LANGUAGE_SERVICE_DOCUMENT_KEY to its key, or give ` +
        "--document-key-file a file with it"
    })
  }
  const ref: DocumentRef = { documentId: DocumentId.make(id), documentKey: key }
  return ref
})

const inWords = ({ billedCharacters, errorMessage, secondsRemaining, status }: DocumentStatus): string => {
  switch (status) {
    case "translating":
      return secondsRemaining === undefined
        ? status
        : `${status}, about ${Attempt.formatDuration(Duration.seconds(secondsRemaining))} left`
    case "done":
      return billedCharacters === undefined ? status : `${status}, ${billedCharacters} characters will be billed`
    case "error":
      return errorMessage === undefined ? "failed" : `failed: ${errorMessage}`
    default:
      return status
  }
}

const about = (of: string, words: string, { clean }: Style) => clean(`${of}: ${words}`)

/** What the journal alone knows of a document: there is nothing to ask the service. */
const fromJournal = (entry: DocumentJournal.Entry): string | undefined => {
  switch (entry._tag) {
    case "Uploading":
      return "its upload was cut off; resume makes it again"
    case "Received":
      return "downloaded, and not yet in its place; resume puts it there"
    case "Lost":
      return `lost after ${entry.bytesReceived} bytes: ${entry.reason}`
    case "Uploaded":
    case "Downloading":
      return undefined
  }
}

/** Says how far a document is. */
export const status = Effect.fnUntraced(function*(given: Given) {
  const documents = yield* Documents
  const entry = yield* (yield* DocumentJournal.Journal).get(given.id)
  if (entry !== undefined) yield* Journal.checkOwn(documents.owner(), entry)
  const known = entry === undefined ? undefined : fromJournal(entry)
  if (entry !== undefined && known !== undefined) {
    const { _tag } = entry
    return yield* Output.print({
      json: [{ documentId: given.id, status: states[_tag] }],
      human: (style) => about(entry.fileName ?? given.id, known, style)
    })
  }
  const ref = entry !== undefined && "documentKey" in entry ? entry : yield* refOf(given)
  const found = yield* documents.status({ documentId: ref.documentId, documentKey: ref.documentKey })
  yield* Output.print({
    json: [found],
    human: (style) => about(entry?.fileName ?? given.id, inWords(found), style)
  })
})

const targetOf = ({ target }: DocumentJournal.Entry): string | undefined =>
  target === undefined ? undefined : "path" in target ? target.path : `${target.folder}/`

/** An entry for programs, without its key. */
const described = (entry: DocumentJournal.Entry) => ({
  id: DocumentJournal.idOf(entry),
  state: entry._tag,
  startedAt: DateTime.formatIso(entry.startedAt),
  fileName: entry.fileName,
  targetLanguage: entry.fields?.targetLanguage,
  source: entry.source,
  target: targetOf(entry),
  host: entry.host,
  ...(entry._tag === "Lost" ? { reason: entry.reason, bytesReceived: entry.bytesReceived } : undefined),
  ...("parts" in entry ? { parts: entry.parts } : undefined)
})

/** The time since a moment, in whole seconds. */
export const ago = (millis: number): string =>
  Attempt.formatDuration(Duration.seconds(Math.max(0, Math.round(millis / 1000))))

const states: { readonly [Tag in DocumentJournal.Entry["_tag"]]: string } = {
  Uploading: "cut off",
  Uploaded: "uploaded",
  Downloading: "downloading",
  Received: "received",
  Lost: "lost"
}

/** Lists the documents on their way. */
export const pending = Effect.gen(function*() {
  const owner = (yield* Documents).owner()
  const entries = yield* Journal.entries
  const here = entries.filter((entry) => DocumentJournal.foreignTo(owner, entry) === undefined)
  const now = yield* Clock.currentTimeMillis
  yield* Output.print({
    json: here.map(described),
    human: (style) =>
      here.length === 0 ? "" : table(
        style,
        ["ID", "STATE", "AGE", "TO", "FILE"],
        here.map((entry) => [
          DocumentJournal.idOf(entry),
          states[entry._tag],
          ago(now - DateTime.toEpochMillis(entry.startedAt)),
          entry.fields?.targetLanguage ?? "",
          entry.fileName ?? ""
        ])
      )
  })
  const lost = here.filter(({ _tag }) => _tag === "Lost").length
  const nowhere = here.filter(({ _tag, target }) => _tag !== "Lost" && target === undefined).length
  const commandOf = yield* advised
  const ways = [
    ...(here.length > lost + nowhere ? [`to go on with all: ${commandOf("document resume")}`] : []),
    ...(nowhere > 0
      ? [`to fetch what was uploaded without a place to go to: ${commandOf("document download <id>")}`]
      : []),
    ...(lost > 0 ? [`to take a lost one off the list: ${commandOf("document forget <id>")}`] : [])
  ]
  if (here.length === 0) yield* tell("pending", "no document is on its way", { pending: 0 })
  for (const way of ways) yield* tell("next", way)
  yield* Journal.tellOthers(owner, entries, commandOf("document adopt <id>"))
})

/** Takes over documents of another key. */
export const adopt = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const documents = yield* Documents
  for (const id of ids) {
    yield* documents.adopt({ id })
    yield* Output.print({ json: [{ id, adopted: true }], human: () => "" })
    yield* tell("adopted", `${id} is a document of this key now`, { id })
  }
})

/** Forgets a document. */
export const forget = Effect.fnUntraced(function*(id: string) {
  const entry = yield* Journal.get(id)
  if (entry === undefined) return yield* new NoSuchDocument({ message: `the journal does not know ${id}` })
  yield* (yield* Documents).forget({ id })
  yield* Output.print({ json: [{ id, forgotten: true }], human: () => "" })
  const parts = "parts" in entry ? entry.parts.map(({ path }) => path) : []
  const left = parts.length === 0 ? "" : `; what came of it stays in ${parts.join(", ")}`
  yield* tell("forgotten", `${entry.fileName ?? id} is forgotten${left}`, { id })
})
