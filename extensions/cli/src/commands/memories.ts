import { JobId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import {
  type ImportedMemory,
  type Job,
  type JobStatus,
  TranslationMemories,
  type TranslationMemory
} from "@effect-lingua/core/translation-memories/TranslationMemories"
import { NodeTranslationMemories, type SavedExport } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { base, call } from "../client/client.ts"
import * as Sample from "../client/sample.ts"
import * as Output from "../files/output.ts"
import * as Place from "../files/place.ts"
import { oneLine, tell } from "../screen/screen.ts"
import { misuseIf } from "../settings/errors.ts"
import { argument, concurrency, idArgument, isPage, pages, text, toggle } from "../settings/flags.ts"
import { command, commandsOf, group, writing } from "./command.ts"
import * as Work from "./work.ts"

const ref = {
  translationMemoryId: idArgument("memory-id", TranslationMemoryId, "The id of a memory, as printed by memories list")
}

const place = Place.flags("the export")

const shown = (memories: ReadonlyArray<TranslationMemory>) =>
  Output.rows(memories, {
    ID: "translationMemoryId",
    SOURCE: "sourceLanguage",
    TARGETS: ({ targetLanguages = [] }) => targetLanguages.join(","),
    SEGMENTS: "segmentCount",
    NAME: "name"
  })

const { remove, show, use } = commandsOf({
  resource: base,
  path: "memories",
  object: "memory",
  service: TranslationMemories,
  ref,
  sample: Sample.translationMemoryId,
  show: "Show a translation memory",
  remove: "Delete a translation memory; it cannot be undone",
  shown: (memory: TranslationMemory) => shown([memory]),
  inWords: ({ name, segmentCount = "?" }) => `the memory ${JSON.stringify(name)} (${segmentCount})`
})

const list = command("memories list", {
  description: "List the translation memories",
  examples: { "--fake": "All of them", "--fake --page 0 --page-size 5 --json": "A page" },
  params: pages("memories"),
  run: (input) =>
    use({}, (memories) =>
      isPage(input)
        ? Effect.map(memories.listPage(input), (found) => found.translationMemories)
        : Stream.runCollect(memories.list)).pipe(Effect.map(shown))
})

const segments = writing("memories segments", {
  description: "Print the segments of a translation memory as they arrive: source, language and translation",
  examples: {
    [`--fake ${Sample.translationMemoryId}`]: "All of them",
    [`--fake ${Sample.translationMemoryId} --filter screw --json`]: "Those with a text"
  },
  params: {
    ref,
    filter: text("filter", "text", "Only segments with this text in their source or a target; 2 characters or more"),
    caseSensitive: toggle("case-sensitive", "Match the case of --filter")
  },
  run: ({ caseSensitive, filter, ref }) =>
    use({}, (memories) =>
      memories.listSegments({
        ...ref,
        filterText: filter,
        filterCaseSensitive: caseSensitive || undefined
      }).pipe(
        // Prints each page, because a translation memory may be larger than this machine's memory.
        Stream.runForEachArray((page) =>
          Output.print({
            json: page,
            human: ({ clean }) =>
              page.flatMap(({ sourceText, targets }) =>
                targets.map(({ targetLanguage = "", targetText }) =>
                  clean([sourceText, targetLanguage, targetText].map(oneLine).join("\t"))
                )
              ).join("\n")
          })
        )
      ))
})

/** Runs imports and exports. After a failure a message names the job. */
const each = Work.each(({ id }, commandOf) => {
  if (id === undefined) return Effect.undefined
  const command = commandOf(`memories status ${id}`)
  return Effect.succeed({ id, command, message: `for the state of its job: ${command}` })
})

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

const importing = writing("memories import", {
  description: "Import TMX files as translation memories and print their ids",
  examples: { [`--fake manuals.tmx --name "Manuals"`]: "A file" },
  params: {
    files: argument("file", "A TMX file; each becomes a memory").pipe(Argument.atLeast(1)),
    name: text("name", "name", "The name of the memory; chosen by the service by default"),
    contentType: text("content-type", "type", "The media type of the file; application/xml by default"),
    concurrency
  },
  run: Effect.fnUntraced(function*({ concurrency, contentType, files, name }) {
    yield* Place.checkSources(files)
    yield* misuseIf(name !== undefined && files.length > 1, "--name is for one file; leave it out for several")
    const jobs = files.map((source) => ({
      name: source,
      run: NodeTranslationMemories.use((memories) => memories.importFile({ source, displayName: name, contentType }))
    }))
    yield* call(each(jobs, concurrency, deliver))
  })
})

const exporting = writing("memories export", {
  description: "Export a translation memory as a TMX file and print its path; by default into the current folder",
  examples: { [`--fake ${Sample.translationMemoryId} --output copy.tmx --overwrite`]: "To a file" },
  params: { ref, ...place },
  run: Effect.fnUntraced(function*({ ref, ...place }) {
    yield* Place.check(place, 1)
    const options = { ...ref, ...Place.destination(place) }
    const run = NodeTranslationMemories.use((memories) => memories.exportToFile(options))
    yield* call(each([{ name: ref.translationMemoryId, run }], 1, deliver))
  })
})

const inWords = ({ errorMessage, requiredAction, skippedSegmentCount = 0, state, translationMemoryId }: Job): string =>
  [
    state,
    requiredAction,
    errorMessage,
    state === "completed" && translationMemoryId !== undefined ? `memory ${translationMemoryId}` : undefined,
    skippedSegmentCount > 0 ? `${skippedSegmentCount} segments left out` : undefined
  ].filter((part) => part !== undefined).join(", ")

/** A job's state without the `downloadUrl`, which gives access to its file. */
const printState = (job: JobStatus) =>
  Output.print(Output.texts([Struct.omit(job, ["downloadUrl"])], () => `${job.jobId}: ${inWords(job)}`))

const jobId = idArgument("job-id", JobId, "The id of the job, as printed when it starts")

const status = writing("memories status", {
  description: "Report the state of an import or export",
  examples: { [`--fake ${Sample.exportId}`]: "One of them" },
  params: { jobId },
  run: (ref) => use({}, (memories) => Effect.flatMap(memories.status(ref), printState))
})

const wait = writing("memories wait", {
  description: "Wait until an import or export is done, and report its state",
  examples: { [`--fake ${Sample.exportId}`]: "One of them" },
  params: { jobId },
  run: (ref) =>
    use({}, (memories) => each([{ name: ref.jobId, id: ref.jobId, run: memories.wait(ref) }], 1, printState))
})

export const memories = group("memories", [list, show, segments, importing, exporting, remove, status, wait])
