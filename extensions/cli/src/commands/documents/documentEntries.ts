/** The entries of `document`: status, pending, adopt, forget. */
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { type DocumentRef, Documents } from "@effect-lingua/core/documents/Documents"
import type { DocumentStatus } from "@effect-lingua/core/documents/DocumentsApi"
import * as Journal from "@effect-lingua/core/documents/Journal"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Entries from "../../client/entries.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { advised } from "../../screen/advised.ts"
import { tell } from "../../screen/screen.ts"
import { type Columns, table } from "../../screen/table.ts"
import { NoSuchDocument } from "../../settings/errors.ts"
import type { Given } from "./documents.ts"

/** The reference of a document, with the key of the environment or of a file. */
export const refOf = Effect.fnUntraced(function*({ id, keyFile }: Given) {
  const key = keyFile === undefined
    ? Option.getOrUndefined(yield* Config.option(Config.Redacted("LANGUAGE_SERVICE_DOCUMENT_KEY")))
    : Redacted.make((yield* fileText(keyFile)).trim())
  if (key === undefined) {
    yield* Entries.get(id)
    return yield* new NoSuchDocument({
      message: `the journal does not have ${id}: set LANGUAGE_SERVICE_DOCUMENT_KEY to its key, or give ` +
        "--document-key-file a file that contains it"
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

/** The state of a document, if it is known without a request. */
const fromJournal = (entry: Journal.Entry): string | undefined => {
  switch (entry._tag) {
    case "Uploading":
      return "its upload was interrupted; resume uploads it again"
    case "Received":
      return "downloaded, but not yet saved at its target; resume saves it"
    case "Lost":
      return `lost after ${entry.bytesReceived} bytes: ${entry.reason}`
    case "Uploaded":
    case "Downloading":
      return undefined
  }
}

/** Prints the state of a document. */
export const status = Effect.fnUntraced(function*(given: Given) {
  const documents = yield* Documents
  const entry = yield* (yield* Journal.Journal).get(given.id)
  if (entry !== undefined) yield* Entries.checkOwner(documents.owner, entry)
  const known = entry === undefined ? undefined : fromJournal(entry)
  if (entry !== undefined && known !== undefined) {
    const status = { documentId: given.id, status: stateOf(entry) }
    return yield* Output.print(Output.texts([status], () => `${entry.fileName ?? given.id}: ${known}`))
  }
  const ref = entry !== undefined && "documentKey" in entry ? entry : yield* refOf(given)
  const found = yield* documents.status({ documentId: ref.documentId, documentKey: ref.documentKey })
  yield* Output.print(Output.texts([found], () => `${entry?.fileName ?? given.id}: ${inWords(found)}`))
})

const targetOf = ({ target }: Journal.Entry): string | undefined =>
  target === undefined ? undefined : "path" in target ? target.path : `${target.folder}/`

/** An entry for programs, without its key. */
const described = (entry: Journal.Entry) => ({
  id: Journal.idOf(entry),
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

const stateOf = ({ _tag }: Journal.Entry): string => _tag === "Uploading" ? "interrupted" : _tag.toLowerCase()

/** The steps that can follow, as sentences with a command. */
const nextSteps = (entries: ReadonlyArray<Journal.Entry>, commandOf: (args: string) => string) => {
  const lost = entries.filter(({ _tag }) => _tag === "Lost").length
  const untargeted = entries.filter(({ _tag, target }) => _tag !== "Lost" && target === undefined).length
  return [
    ...(entries.length > lost + untargeted ? [`to resume all: ${commandOf("documents resume")}`] : []),
    ...(untargeted > 0
      ? [`to download one that was uploaded without a target: ${commandOf("documents download <id>")}`]
      : []),
    ...(lost > 0 ? [`to remove a lost one from the list: ${commandOf("documents forget <id>")}`] : [])
  ]
}

/** Lists the documents of this key that are not finished, and names those of other keys. */
export const pending = Effect.gen(function*() {
  const owner = (yield* Documents).owner
  const all = yield* Entries.all
  const here = all.filter((entry) => Journal.foreignTo(owner, entry) === undefined)
  const now = yield* Clock.currentTimeMillis
  const columns: Columns<Journal.Entry> = {
    ID: Journal.idOf,
    STATE: stateOf,
    AGE: ({ startedAt }) => {
      const seconds = Math.round((now - DateTime.toEpochMillis(startedAt)) / 1000)
      return Attempt.formatDuration(Duration.seconds(Math.max(0, seconds)))
    },
    TO: ({ fields }) => fields?.targetLanguage,
    FILE: ({ fileName }) => fileName
  }
  yield* Output.print({
    json: here.map(described),
    human: (style) => here.length === 0 ? "" : table(style, columns, here)
  })
  const commandOf = yield* advised
  if (here.length === 0) yield* tell("pending", "no document is pending", { pending: 0 })
  for (const message of nextSteps(here, commandOf)) yield* tell("next", message)
  yield* Entries.tellOthers(owner, all, commandOf("documents adopt <id>"))
})

/** Takes over documents of another key, one after the other. */
export const adopt = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const documents = yield* Documents
  for (const id of ids) {
    yield* documents.adopt({ entryId: id })
    yield* Output.print(Output.done("adopted", `${id} belongs to this key now`, { id }))
  }
})

/** Forgets a document that the journal has. */
export const forget = Effect.fnUntraced(function*(id: string) {
  const entry = yield* Entries.get(id)
  if (entry === undefined) return yield* new NoSuchDocument({ message: `the journal does not have ${id}` })
  yield* Documents.use((documents) => documents.forget({ entryId: id }))
  const parts = "parts" in entry ? entry.parts.map(({ path }) => path) : []
  const left = parts.length === 0 ? "" : `; its received part stays in ${parts.join(", ")}`
  yield* Output.print(Output.done("forgotten", `${entry.fileName ?? id} is forgotten${left}`, { id }))
})
