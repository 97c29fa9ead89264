/** The transfers of `document`: translate, upload, download, resume. */
import { type DocumentRef, Documents } from "@effect-lingua/core/documents/Documents"
import * as Journal from "@effect-lingua/core/documents/Journal"
import { NodeDocuments, type SavedDocument } from "@effect-lingua/node/files/NodeDocuments"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Entries from "../../client/entries.ts"
import { withIds } from "../../client/names.ts"
import type * as Services from "../../client/services.ts"
import * as Output from "../../files/output.ts"
import { destination, type Place } from "../../files/place.ts"
import { tell } from "../../screen/screen.ts"
import { misuse } from "../../settings/errors.ts"
import { translationOptions } from "../translationFlags.ts"
import * as Work from "../work.ts"
import { refOf } from "./documentEntries.ts"
import type { Fields, Given, ResumeInput } from "./documents.ts"

/** Runs transfers. After a failure a command continues the document of the journal. */
export const each = Work.each(
  Effect.fnUntraced(function*({ id: given, source, startedAt }, commandOf) {
    const entries = yield* (yield* Journal.Journal).entries()
    const entry = entries.find((entry) => Journal.idOf(entry) === given) ??
      entries.find((entry) =>
        entry._tag === "Uploading" && source !== undefined && entry.source === source &&
        DateTime.toEpochMillis(entry.startedAt) >= startedAt
      )
    if (entry === undefined) return undefined
    const id = Journal.idOf(entry)
    // Without a target, resume requires one; download uses the current folder.
    const verb = entry._tag === "Lost" ? "forget" : entry.target === undefined ? "download" : "resume"
    const command = commandOf(`documents ${verb} ${id}`)
    const message = entry._tag === "Uploading"
      // The service may have two of it then. Only a download is billed.
      ? `to upload it again: ${command}; a first upload is never billed`
      : `${entry._tag === "Lost" ? "to remove it from the list" : "to resume"}: ${command}`
    return { id, command, message }
  }),
  "documents resume"
)

/** Prints the path of a saved document. */
export const deliver = (saved: SavedDocument, { source }: { readonly source?: string | undefined }) =>
  Output.print({
    json: [{ ...saved, source }],
    human: ({ clean }) => clean(saved.path)
  })

/** Uploads a file and prints its id. */
export const upload = Effect.fnUntraced(function*(
  input: { readonly fields: Fields; readonly file: string; readonly showKey: boolean },
  services: typeof Services
) {
  const options = yield* withIds(services, translationOptions(input.fields))
  const path = yield* Path.Path
  const documents = yield* NodeDocuments
  const job = {
    name: input.file,
    source: path.resolve(input.file),
    run: documents.upload({ ...options, source: input.file })
  }
  yield* each([job], 1, ({ documentId, documentKey }: DocumentRef) => {
    const key = input.showKey ? { documentKey: Redacted.value(documentKey) } : undefined
    return Output.print({
      json: [{ documentId, ...key }],
      human: ({ clean }) => clean(key === undefined ? documentId : `${documentId} ${key.documentKey}`)
    })
  })
})

/** The job that saves a document of the journal. */
const resuming = Effect.fnUntraced(function*({ folder, output, overwrite }: Place) {
  const documents = yield* NodeDocuments
  return (entry: Journal.Entry) => {
    const id = Journal.idOf(entry)
    const hasNoTarget = output === undefined && folder === undefined && entry.target === undefined
    return {
      name: entry.fileName ?? id,
      id,
      source: entry.source,
      run: Effect.gen(function*() {
        if (hasNoTarget) {
          return yield* misuse(`${id} was uploaded without a target: give --output or --output-dir`)
        }
        return yield* documents.resume({ entryId: id, target: output, folder, overwrite: overwrite || undefined })
      })
    }
  }
})

/** Downloads a document to its target, or into the current folder. */
export const download = Effect.fnUntraced(function*(input: Given & Place) {
  const entry = yield* (yield* Journal.Journal).get(input.id)
  const place = input.output === undefined && input.folder === undefined && entry?.target === undefined
    ? { ...input, folder: "." }
    : input
  if (entry !== undefined) return yield* each([(yield* resuming(place))(entry)], 1, deliver)
  const documents = yield* NodeDocuments
  const run = documents.downloadToFile({ ...yield* refOf(input), ...destination(place) })
  yield* each([{ name: input.id, id: input.id, run }], 1, deliver)
})

/** Resumes documents of the journal: the given ones, or all that are not lost. */
export const resume = Effect.fnUntraced(function*(input: ResumeInput) {
  const toJob = yield* resuming(input)
  const documents = yield* NodeDocuments
  if (input.ids.length > 0) {
    const jobs = yield* Effect.forEach(
      input.ids,
      (id) =>
        Effect.map(
          Entries.get(id),
          (entry) => entry === undefined ? { name: id, id, run: documents.resume({ entryId: id }) } : toJob(entry)
        )
    )
    return yield* each(jobs, input.concurrency, deliver)
  }
  const pending = yield* Entries.looked((yield* Documents).pending())
  const entries = pending.filter(({ _tag }) => _tag !== "Lost")
  const lost = pending.length - entries.length
  if (entries.length === 0) yield* tell("pending", "there is nothing to resume", { pending: 0 })
  if (lost > 0) {
    yield* tell("lost", `${lost} lost, not resumed; see documents pending`, { lost })
  }
  yield* each(entries.map(toJob), input.concurrency, deliver)
})
