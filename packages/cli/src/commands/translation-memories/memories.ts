/** `memories` and its commands. Imports and exports are loaded when they run: help does not wait for them. */
import { JobId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import type { TranslationMemory } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call, calling } from "../../client/client.ts"
import * as Sample from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Place from "../../files/place.ts"
import * as Board from "../../screen/board.ts"
import * as Confirm from "../../screen/confirm.ts"
import { oneLine } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { argument, concurrency, isPage, pages, text, toggle } from "../../settings/flags.ts"
import { command, group, withResults } from "../command.ts"

const jobs = Effect.promise(() => import("./memoryJobs.ts"))

const withMemories = calling(({ TranslationMemories }) => TranslationMemories)

const translationMemoryId = argument("memory-id", "The id of a translation memory, as printed by memories list").pipe(
  Argument.withSchema(TranslationMemoryId)
)

const place = Place.flags("the export")

const shown = (memories: ReadonlyArray<TranslationMemory>) =>
  Output.rows(memories, {
    ID: ({ translationMemoryId }) => translationMemoryId,
    SOURCE: ({ sourceLanguage }) => sourceLanguage,
    TARGETS: ({ targetLanguages = [] }) => targetLanguages.join(","),
    SEGMENTS: ({ segmentCount }) => segmentCount,
    NAME: ({ name }) => name
  })

const list = withResults("list", {
  description: "List the translation memories",
  examples: {
    "effect-lingua memories list --fake": "All of them",
    "effect-lingua memories list --fake --page 0 --page-size 5 --json": "A page"
  },
  params: pages("memories"),
  run: (input) =>
    Effect.map(
      withMemories((memories) =>
        isPage(input)
          ? Effect.map(memories.listPage(input), (found) => found.translationMemories)
          : Stream.runCollect(memories.list())
      ),
      shown
    )
})

const show = withResults("show", {
  description: "Show a translation memory",
  examples: { [`effect-lingua memories show --fake ${Sample.translationMemoryId}`]: "A memory" },
  params: { translationMemoryId },
  run: (ref) => Effect.map(withMemories((memories) => memories.get(ref)), (memory) => shown([memory]))
})

const segments = command("segments", {
  description: "Print the segments of a translation memory as they arrive: source, language and translation",
  examples: {
    [`effect-lingua memories segments --fake ${Sample.translationMemoryId}`]: "All of them",
    [`effect-lingua memories segments --fake ${Sample.translationMemoryId} --filter screw --json`]: "Those with a text"
  },
  params: {
    translationMemoryId,
    filter: text("filter", "text", "Only segments with this text in their source or a target; 2 characters or more"),
    caseSensitive: toggle("case-sensitive", "Match the case of --filter")
  },
  run: ({ caseSensitive, filter, translationMemoryId }) =>
    withMemories((memories) =>
      memories.listSegments({
        translationMemoryId,
        filterText: filter,
        filterCaseSensitive: caseSensitive || undefined
      }).pipe(
        // A translation memory may be larger than the memory of this machine.
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
      )
    )
})

const importParams = {
  files: argument("file", "A TMX file; each becomes a memory").pipe(Argument.atLeast(1)),
  name: text("name", "name", "The name of the memory; chosen by the service by default"),
  contentType: text("content-type", "type", "The media type of the file; application/xml by default"),
  concurrency
}

/** The arguments of `import`. */
export type ImportInput = Command.Command.Config.Infer<typeof importParams>

const importing = command("import", {
  description: "Import TMX files as translation memories and print their ids",
  examples: { [`effect-lingua memories import --fake manuals.tmx --name "Manuals"`]: "A file" },
  params: importParams,
  run: Effect.fnUntraced(function*(input) {
    yield* Place.checkSources(input.files)
    if (input.name !== undefined && input.files.length > 1) {
      return yield* new InvalidUsage({ message: "--name is for one file; leave it out for several" })
    }
    yield* Board.provide(call(() => Effect.flatMap(jobs, ({ importFiles }) => importFiles(input))))
  })
})

const exporting = command("export", {
  description: "Export a translation memory as a TMX file and print its path; by default into the current folder",
  examples: {
    [`effect-lingua memories export --fake ${Sample.translationMemoryId} --output copy.tmx --overwrite`]: "To a file"
  },
  params: { translationMemoryId, ...place },
  run: Effect.fnUntraced(function*(input) {
    yield* Place.check(input, 1)
    yield* Board.provide(call(() => Effect.flatMap(jobs, ({ exportToFile }) => exportToFile(input))))
  })
})

const remove = withResults("delete", {
  description: "Delete a translation memory; it cannot be undone",
  examples: { [`effect-lingua memories delete --fake --yes ${Sample.translationMemoryId}`]: "Without a question" },
  params: { ref: { translationMemoryId }, ...Confirm.flags },
  run: Effect.fnUntraced(function*({ ref, ...input }) {
    yield* withMemories((memories) => {
      const action = Effect.map(
        memories.get(ref),
        ({ name, segmentCount = "?" }) => `delete the memory ${JSON.stringify(name)} (${segmentCount})`
      )
      return Effect.andThen(Confirm.confirm(input, action), memories.remove(ref))
    })
    return Output.done("deleted", `the memory ${ref.translationMemoryId} is deleted`, ref)
  })
})

const jobId = argument("job-id", "The id of the job, as printed when it starts").pipe(Argument.withSchema(JobId))

const status = command("status", {
  description: "Report the state of an import or export",
  examples: { [`effect-lingua memories status --fake ${Sample.exportId}`]: "One of them" },
  params: { jobId },
  run: ({ jobId }) => call(() => Effect.flatMap(jobs, ({ status }) => status(jobId)))
})

const wait = command("wait", {
  description: "Wait until an import or export is done, and report its state",
  examples: { [`effect-lingua memories wait --fake ${Sample.exportId}`]: "One of them" },
  params: { jobId },
  run: ({ jobId }) => Board.provide(call(() => Effect.flatMap(jobs, ({ wait }) => wait(jobId))))
})

/** Translation memories. */
export const memories = group("memories", "Translation memories, which translations can use").pipe(
  Command.withSubcommands([list, show, segments, importing, exporting, remove, status, wait])
)
