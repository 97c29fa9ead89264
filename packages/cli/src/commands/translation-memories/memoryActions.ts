/** The commands of `memories` for imports and exports. */
import { TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import { type ImportedMemory, type JobRef, TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { type Job, JobId } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import { NodeTranslationMemories, type SavedExport } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Effect from "effect/Effect"
import * as Output from "../../files/output.ts"
import type { Place } from "../../files/place.ts"
import { tell } from "../../screen/screen.ts"
import * as Work from "../work.ts"

/** Imports and exports. After a failure the state of the job tells the next step. */
const next: Work.Next = ({ id }, commandOf) => {
  if (id === undefined) return Effect.undefined
  const command = commandOf(`memories status ${id}`)
  return Effect.succeed({ id, command, message: `for the state of its job: ${command}` })
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
  const memories = yield* NodeTranslationMemories
  const { concurrency, contentType, files, name } = input
  const jobs = files.map((file) => ({
    name: file,
    run: memories.importFile({ path: file, displayName: name, contentType })
  }))
  yield* Work.each(next, jobs, concurrency, deliver)
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
  yield* Work.each(next, [{ name: id, run }], 1, deliver)
})

const inWords = ({ errorMessage, requiredAction, skippedSegmentCount = 0, state, translationMemoryId }: Job): string =>
  [
    state,
    ...(requiredAction === undefined ? [] : [requiredAction]),
    ...(errorMessage === undefined ? [] : [errorMessage]),
    ...(state === "completed" && translationMemoryId !== undefined ? [`memory ${translationMemoryId}`] : []),
    ...(skippedSegmentCount > 0 ? [`${skippedSegmentCount} segments left out`] : [])
  ].join(", ")

/** Prints the state of an import or export. */
const told = ({ downloadUrl: _, ...job }: Job & JobRef) =>
  Output.print({ json: [job], human: ({ clean }) => clean(`${job.jobId}: ${inWords(job)}`) })

/** Prints the state of an import or export as it is. */
export const status = (id: string) =>
  TranslationMemories.use((memories) => Effect.flatMap(memories.status({ jobId: JobId.make(id) }), told))

/** Waits until an import or export is done, and prints its state. */
export const wait = Effect.fnUntraced(function*(id: string) {
  const memories = yield* TranslationMemories
  const run = memories.wait({ jobId: JobId.make(id) })
  yield* Work.each(next, [{ name: id, id, run }], 1, told)
})
