/** What `memories` does with imports and exports: begins them, goes on with them, and tells of them. */
import { TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import * as DocumentJournal from "@effect-lingua/core/documents/Journal"
import * as JobProgress from "@effect-lingua/core/jobs/JobProgress"
import { type ImportedMemory, TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { type Job, JobId } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import { NodeTranslationMemories, type SavedExport } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Journal from "../../client/journal.ts"
import * as Output from "../../files/output.ts"
import type { Place } from "../../files/place.ts"
import { advised } from "../../screen/advised.ts"
import { table, tell } from "../../screen/screen.ts"
import { NoSuchDocument } from "../../settings/errors.ts"
import { ago } from "../documents/documentActions.ts"
import * as Work from "../work.ts"

type Entry = DocumentJournal.JobEntry

/** What an import or export is of: a file, or a memory. */
const sourceOf = (entry: Entry): string | undefined =>
  entry._tag === "Import" ? entry.source : entry.translationMemoryId

const jobIdOf = (entry: Entry): JobId | undefined => entry._tag === "Import" ? entry.started?.jobId : entry.jobId

const stateOf = (entry: Entry): string =>
  jobIdOf(entry) === undefined
    ? "cut off"
    : entry._tag === "Import"
    ? entry.isSent ? "sent" : "started"
    : entry.received !== undefined
    ? "received"
    : entry.temporary !== undefined
    ? "downloading"
    : "started"

/** Imports and exports. */
const kind: Work.Kind = {
  stream: JobProgress.stream,
  next: Effect.fnUntraced(function*({ id, source, startedAt }, commandOf) {
    const jobs = yield* (yield* DocumentJournal.DocumentJournal).jobs
    const entry = jobs.find((job) => job.id === id) ??
      jobs.find((job) =>
        id === undefined && source !== undefined && sourceOf(job) === source &&
        DateTime.toEpochMillis(job.startedAt) >= startedAt
      )
    if (entry === undefined) return undefined
    const command = commandOf(`memories resume ${entry.id}`)
    return { id: entry.id, command, message: `to go on: ${command}` }
  })
}

/** Tells what was imported, or where an export is. */
const deliver = Effect.fnUntraced(function*(done: ImportedMemory | SavedExport, { name }: { readonly name: string }) {
  if ("path" in done) return yield* Output.print({ json: [done], human: ({ clean }) => clean(done.path) })
  yield* Output.print({ json: [done], human: ({ clean }) => clean(done.translationMemoryId) })
  const { skippedSegmentCount: skipped } = done
  if (skipped > 0) {
    yield* tell("warning", `${name}: the service left out ${skipped} ${skipped === 1 ? "segment" : "segments"}`, {
      name,
      skippedSegmentCount: skipped
    })
  }
})

/** Imports files. */
export const importFiles = Effect.fnUntraced(function*(
  input: {
    readonly files: ReadonlyArray<string>
    readonly name: string | undefined
    readonly contentType: string | undefined
    readonly concurrency: number
  }
) {
  const path = yield* Path.Path
  const memories = yield* NodeTranslationMemories
  const { concurrency, contentType, files, name } = input
  const jobs = files.map((file) => ({
    name: file,
    source: path.resolve(file),
    run: memories.importFile({ path: file, displayName: name, contentType })
  }))
  yield* Work.each(kind, jobs, concurrency, deliver)
})

/** Exports a memory: into the current folder, if nothing else is named. */
export const exportToFile = Effect.fnUntraced(function*({ folder = ".", id, output, overwrite }: Place & {
  readonly id: string
}) {
  const memories = yield* NodeTranslationMemories
  const translationMemoryId = TranslationMemoryId.make(id)
  const run = memories.exportToFile(
    output === undefined ? { translationMemoryId, folder, overwrite } : { translationMemoryId, path: output, overwrite }
  )
  yield* Work.each(kind, [{ name: id, source: id, run }], 1, deliver)
})

/** Goes on with imports and exports of the journal: those that are named, or all. */
export const resume = Effect.fnUntraced(function*(
  input: Place & { readonly ids: ReadonlyArray<string>; readonly concurrency: number }
) {
  const { concurrency, folder, ids, output, overwrite } = input
  const memories = yield* NodeTranslationMemories
  const pending = yield* Journal.looked((yield* TranslationMemories).pending)
  const given = ids.length === 0 ? pending.map(({ id }) => id) : ids
  if (given.length === 0) yield* tell("pending", "there is nothing to go on with", { pending: 0 })
  const jobs = given.map((id) => {
    const entry = pending.find((job) => job.id === id)
    return {
      name: entry?._tag === "Import" ? entry.fileName : entry?.translationMemoryId ?? id,
      id,
      run: Effect.gen(function*() {
        return entry?._tag === "Export"
          ? yield* memories.resumeExport(id, { path: output, folder, overwrite: overwrite || undefined })
          : yield* memories.resumeImport(id)
      })
    }
  })
  yield* Work.each(kind, jobs, concurrency, deliver)
})

const inWords = ({ errorMessage, requiredAction, skippedSegmentCount = 0, state, translationMemoryId }: Job): string =>
  [
    state,
    ...(requiredAction === undefined ? [] : [requiredAction]),
    ...(errorMessage === undefined ? [] : [errorMessage]),
    ...(state === "completed" && translationMemoryId !== undefined ? [`memory ${translationMemoryId}`] : []),
    ...(skippedSegmentCount > 0 ? [`${skippedSegmentCount} segments left out`] : [])
  ].join(", ")

/** Says how far an import or export is, by its id in the journal or that of its job. */
export const status = Effect.fnUntraced(function*(id: string) {
  const memories = yield* TranslationMemories
  const entry = yield* Journal.getJob(id)
  if (entry !== undefined) yield* Journal.checkOwn(memories.owner, entry)
  const jobId = entry === undefined ? JobId.make(id) : jobIdOf(entry)
  if (jobId === undefined) {
    return yield* Output.print({
      json: [{ id, state: "cut off" }],
      human: ({ clean }) => clean(`${id}: it was cut off at its start; resume begins it again`)
    })
  }
  // Whoever has the address of the file has the file.
  const { downloadUrl: _, ...job } = yield* memories.getJob({ jobId })
  yield* Output.print({
    json: [{ ...(entry === undefined ? undefined : { id }), ...job }],
    human: ({ clean }) => clean(`${id}: ${inWords(job)}`)
  })
})

/** An entry for programs, without the address of its file. */
const described = (entry: Entry) => ({
  id: entry.id,
  operation: entry._tag === "Import" ? "import" : "export",
  state: stateOf(entry),
  startedAt: DateTime.formatIso(entry.startedAt),
  jobId: jobIdOf(entry),
  host: entry.host,
  ...(entry._tag === "Import"
    ? { fileName: entry.fileName, source: entry.source }
    : { translationMemoryId: entry.translationMemoryId, target: entry.target })
})

/** Lists the imports and exports on their way. */
export const pending = Effect.gen(function*() {
  const { owner } = yield* TranslationMemories
  const jobs = yield* Journal.jobs
  const here = jobs.filter((job) => DocumentJournal.foreignTo(owner, job) === undefined)
  const now = yield* Clock.currentTimeMillis
  yield* Output.print({
    json: here.map(described),
    human: (style) =>
      here.length === 0 ? "" : table(
        style,
        ["ID", "STATE", "AGE", "OF"],
        here.map((entry) => [
          entry.id,
          stateOf(entry),
          ago(now - DateTime.toEpochMillis(entry.startedAt)),
          entry._tag === "Import" ? entry.fileName : entry.translationMemoryId
        ])
      )
  })
  const commandOf = yield* advised
  if (here.length === 0) yield* tell("pending", "no import or export is on its way", { pending: 0 })
  else yield* tell("next", `to go on with all: ${commandOf("memories resume")}`)
  yield* Journal.tellOthers(owner, jobs, commandOf("memories adopt <id>"))
})

/** Takes over imports and exports of another key. */
export const adopt = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const memories = yield* TranslationMemories
  for (const id of ids) {
    yield* memories.adopt(id)
    yield* Output.print({ json: [{ id, adopted: true }], human: () => "" })
    yield* tell("adopted", `${id} is of this key now`, { id })
  }
})

/** Forgets an import or export. */
export const forget = Effect.fnUntraced(function*(id: string) {
  if ((yield* Journal.getJob(id)) === undefined) {
    return yield* new NoSuchDocument({ message: `the journal does not know ${id}` })
  }
  yield* (yield* TranslationMemories).forget(id)
  yield* Output.print({ json: [{ id, forgotten: true }], human: () => "" })
  yield* tell("forgotten", `${id} is forgotten; at the service it goes on`, { id })
})
