/** The imports and exports of `memories`: how they are started and reported. */
import type { JobId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import {
  type ImportedMemory,
  type JobRef,
  TranslationMemories
} from "@effect-lingua/core/translation-memories/TranslationMemories"
import type { Job } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import { NodeTranslationMemories, type SavedExport } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Output from "../../files/output.ts"
import type { Place } from "../../files/place.ts"
import { tell } from "../../screen/screen.ts"
import * as Work from "../work.ts"
import type { ImportInput } from "./memories.ts"

/** After a failure the state of the job tells the next step. */
const next: Work.Next = ({ id }, commandOf) => {
  if (id === undefined) return Effect.undefined
  const command = commandOf(`memories status ${id}`)
  return Effect.succeed({ id, command, message: `for the state of its job: ${command}` })
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
export const importFiles = Effect.fnUntraced(function*({ concurrency, contentType, files, name }: ImportInput) {
  const memories = yield* NodeTranslationMemories
  const jobs = files.map((file) => ({
    name: file,
    run: memories.importFile({ source: file, displayName: name, contentType })
  }))
  yield* Work.each(next, jobs, concurrency, deliver)
})

/** Exports a memory, by default into the current folder. */
export const exportToFile = Effect.fnUntraced(function*(
  { folder = ".", output, overwrite, translationMemoryId }: Place & {
    readonly translationMemoryId: TranslationMemoryId
  }
) {
  const memories = yield* NodeTranslationMemories
  const run = memories.exportToFile(
    output === undefined
      ? { translationMemoryId, folder, overwrite }
      : { translationMemoryId, target: output, overwrite }
  )
  yield* Work.each(next, [{ name: translationMemoryId, run }], 1, deliver)
})

const inWords = ({ errorMessage, requiredAction, skippedSegmentCount = 0, state, translationMemoryId }: Job): string =>
  [
    state,
    ...(requiredAction === undefined ? [] : [requiredAction]),
    ...(errorMessage === undefined ? [] : [errorMessage]),
    ...(state === "completed" && translationMemoryId !== undefined ? [`memory ${translationMemoryId}`] : []),
    ...(skippedSegmentCount > 0 ? [`${skippedSegmentCount} segments left out`] : [])
  ].join(", ")

/** The state of a job without the address of its file, which gives access to it. */
const printState = (job: Job & JobRef) =>
  Output.print(Output.texts([Struct.omit(job, ["downloadUrl"])], () => `${job.jobId}: ${inWords(job)}`))

/** Prints the state of an import or export. */
export const status = (jobId: JobId) =>
  TranslationMemories.use((memories) => Effect.flatMap(memories.status({ jobId }), printState))

/** Waits until an import or export is done, and prints its state. */
export const wait = Effect.fnUntraced(function*(jobId: JobId) {
  const memories = yield* TranslationMemories
  yield* Work.each(next, [{ name: jobId, id: jobId, run: memories.wait({ jobId }) }], 1, printState)
})
