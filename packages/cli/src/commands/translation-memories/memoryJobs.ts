/** The imports and exports of `memories`: how they are started, resumed and reported. */
import { JobId, type TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import * as DocumentJournal from "@effect-lingua/core/jobs/DocumentJournal"
import * as JobProgress from "@effect-lingua/core/jobs/JobProgress"
import { type ImportedMemory, TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import type { Job } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import { NodeTranslationMemories, type SavedExport } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Journal from "../../client/journal.ts"
import * as Output from "../../files/output.ts"
import type { Place } from "../../files/place.ts"
import { tell } from "../../screen/screen.ts"
import * as Entries from "../entries.ts"
import type { ResumeInput } from "../entryCommands.ts"
import * as Work from "../work.ts"

type Entry = DocumentJournal.JobEntry

/** The file of an import, or the memory of an export. */
const sourceOf = (entry: Entry): string | undefined =>
  entry._tag === "Import" ? entry.source : entry.translationMemoryId

const jobIdOf = (entry: Entry): JobId | undefined => entry._tag === "Import" ? entry.started?.jobId : entry.jobId

const stateOf = (entry: Entry): string =>
  jobIdOf(entry) === undefined
    ? "interrupted"
    : entry._tag === "Import"
    ? entry.isSent ? "sent" : "started"
    : entry.received !== undefined
    ? "received"
    : entry.temporary !== undefined
    ? "downloading"
    : "started"

/** Imports and exports as work. */
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
    return { id: entry.id, command, message: `to resume: ${command}` }
  })
}

/** Prints the id of an imported memory, or the path of an export. */
const deliver = Effect.fnUntraced(function*(done: ImportedMemory | SavedExport, { name }: { readonly name: string }) {
  if ("path" in done) return yield* Output.print(Output.texts([done], ({ path }) => path))
  yield* Output.print(Output.texts([done], ({ translationMemoryId }) => translationMemoryId))
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

/** Exports a memory, by default into the current folder. */
export const exportToFile = Effect.fnUntraced(function*(
  { folder = ".", output, overwrite, translationMemoryId }: Place & {
    readonly translationMemoryId: TranslationMemoryId
  }
) {
  const memories = yield* NodeTranslationMemories
  const run = memories.exportToFile(
    output === undefined ? { translationMemoryId, folder, overwrite } : { translationMemoryId, path: output, overwrite }
  )
  yield* Work.each(kind, [{ name: translationMemoryId, source: translationMemoryId, run }], 1, deliver)
})

/** Resumes imports and exports of the journal: the given ones, or all. */
export const resume = Effect.fnUntraced(function*(input: ResumeInput) {
  const { concurrency, folder, ids, output, overwrite } = input
  const memories = yield* NodeTranslationMemories
  const pending = yield* Journal.looked((yield* TranslationMemories).pending)
  const given = ids.length === 0 ? pending.map(({ id }) => id) : ids
  if (given.length === 0) yield* tell("pending", "there is nothing to resume", { pending: 0 })
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

/** Prints the state of an import or export, by its id in the journal or by the id of its job. */
export const status = Effect.fnUntraced(function*(id: string) {
  const memories = yield* TranslationMemories
  const entry = yield* Journal.getJob(id)
  if (entry !== undefined) yield* Journal.checkOwn(memories.owner, entry)
  const jobId = entry === undefined ? JobId.make(id) : jobIdOf(entry)
  if (jobId === undefined) {
    const message = `${id}: it was interrupted at its start; resume starts it again`
    return yield* Output.print(Output.texts([{ id, state: "interrupted" }], () => message))
  }
  // The address of the file gives access to it.
  const { downloadUrl: _, ...job } = yield* memories.getJob({ jobId })
  const found = { ...(entry === undefined ? undefined : { id }), ...job }
  yield* Output.print(Output.texts([found], () => `${id}: ${inWords(job)}`))
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

/** Lists the imports and exports that are not finished. */
export const pending = Effect.gen(function*() {
  const { owner } = yield* TranslationMemories
  yield* Entries.list({
    group: "memories",
    thing: "import or export",
    owner,
    entries: yield* Journal.jobs,
    described,
    stateOf,
    columns: { OF: (entry) => entry._tag === "Import" ? entry.fileName : entry.translationMemoryId },
    next: (here, commandOf) => here.length === 0 ? [] : [`to resume all: ${commandOf("memories resume")}`]
  })
})

/** Takes over imports and exports of another key. */
export const adopt = (ids: ReadonlyArray<string>) =>
  TranslationMemories.use((memories) => Entries.adopt(ids, memories.adopt))

/** Forgets an import or export. */
export const forget = (id: string) =>
  TranslationMemories.use((memories) =>
    Entries.forget(id, Journal.getJob(id), memories.forget(id), () => `${id} is forgotten; the service continues it`)
  )
