/** `memories` and its commands. What imports and exports do is loaded when they run: help does not wait for it. */
import type { TranslationMemory } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import { exportId, translationMemoryId } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Place from "../../files/place.ts"
import * as Board from "../../screen/board.ts"
import * as Confirm from "../../screen/confirm.ts"
import { oneLine, type Style, table, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { checkOnce, concurrency, integer, text, toggle } from "../../settings/flags.ts"

const id = Argument.String("memory-id").pipe(
  Argument.withDescription("The id of a translation memory, as memories list shows them")
)

const jobId = Argument.String("job-id").pipe(
  Argument.withDescription("The id of the job, as errors and --json name it")
)

const place = Place.flags("the export")

const shown = (memories: ReadonlyArray<TranslationMemory>) => (style: Style): string =>
  table(
    style,
    ["ID", "SOURCE", "TARGETS", "SEGMENTS", "NAME"],
    memories.map(({ name, segmentCount, sourceLanguage, targetLanguages, translationMemoryId }) => [
      translationMemoryId,
      sourceLanguage ?? "",
      (targetLanguages ?? []).join(","),
      String(segmentCount ?? ""),
      name ?? ""
    ])
  )

const list = Command.make(
  "list",
  {
    page: integer("page", "number", "One page only, from 0; all memories by default"),
    pageSize: integer("page-size", "number", "Memories of a page, 1 to 25; 10 by default"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { page, pageSize } = input
    yield* Output.deliver(
      input,
      call(({ TranslationMemories }) =>
        TranslationMemories.use((memories) =>
          page === undefined && pageSize === undefined
            ? Stream.runCollect(memories.list())
            : Effect.map(memories.listPage({ page, pageSize }), (found) => found.translationMemories)
        ).pipe(Effect.map((memories): Output.Results => ({ json: memories, human: shown(memories) })))
      )
    )
  })
).pipe(
  Command.withDescription("List the translation memories"),
  Command.withExamples([
    { command: "effect-lingua memories list --fake", description: "All of them" },
    { command: "effect-lingua memories list --fake --page 0 --page-size 5 --json", description: "A page" }
  ])
)

const show = Command.make(
  "show",
  { id, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ TranslationMemories, TranslationMemoryId }) =>
        Effect.map(
          TranslationMemories.use((memories) =>
            memories.get({ translationMemoryId: TranslationMemoryId.make(input.id) })
          ),
          (memory): Output.Results => ({ json: [memory], human: shown([memory]) })
        )
      )
    )
  })
).pipe(
  Command.withDescription("Show a translation memory"),
  Command.withExamples([
    { command: `effect-lingua memories show --fake ${translationMemoryId}`, description: "A memory" }
  ])
)

const segments = Command.make(
  "segments",
  {
    id,
    filter: text("filter", "text", "Only segments with this text in their source or a target; 2 characters or more"),
    caseSensitive: toggle("case-sensitive", "The case of the text counts")
  },
  Effect.fnUntraced(function*({ caseSensitive, filter, id }) {
    yield* call(({ TranslationMemories, TranslationMemoryId }) =>
      TranslationMemories.use((memories) =>
        memories.listSegments({
          translationMemoryId: TranslationMemoryId.make(id),
          filterText: filter,
          filterCaseSensitive: caseSensitive || undefined
        }).pipe(
          // A memory may be larger than the one of this machine.
          Stream.runForEachArray((page) =>
            Output.print({
              json: page,
              human: ({ clean }) =>
                page.flatMap(({ sourceText, targets }) =>
                  targets.map(({ targetLanguage, targetText }) =>
                    clean([sourceText, targetLanguage ?? "", targetText].map(oneLine).join("\t"))
                  )
                ).join("\n")
            })
          )
        )
      )
    )
  })
).pipe(
  Command.withDescription("Print the segments of a translation memory as they come: source, language and translation"),
  Command.withExamples([
    { command: `effect-lingua memories segments --fake ${translationMemoryId}`, description: "All of them" },
    {
      command: `effect-lingua memories segments --fake ${translationMemoryId} --filter screw --json`,
      description: "Those with a text"
    }
  ])
)

const importing = Command.make(
  "import",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("A TMX file; each becomes a memory"),
      Argument.atLeast(1)
    ),
    name: text("name", "name", "The name of the memory; the service chooses one by default"),
    contentType: text("content-type", "type", "The media type of the file; application/xml by default"),
    concurrency
  },
  Effect.fnUntraced(function*(input) {
    const path = yield* Path.Path
    yield* checkOnce(input.files.map((file) => path.resolve(file)))
    if (input.name !== undefined && input.files.length > 1) {
      return yield* new InvalidUsage({ message: "--name is for one file; leave it out for several" })
    }
    yield* Board.provide(call(({ MemoryActions }) => MemoryActions.importFiles(input)))
  })
).pipe(
  Command.withDescription("Import TMX files as translation memories; prints their ids"),
  Command.withExamples([
    { command: `effect-lingua memories import --fake manuals.tmx --name "Manuals"`, description: "A file" }
  ])
)

const exporting = Command.make(
  "export",
  { id, ...place },
  Effect.fnUntraced(function*(input) {
    yield* Place.check(input, 1)
    yield* Board.provide(call(({ MemoryActions }) => MemoryActions.exportToFile(input)))
  })
).pipe(
  Command.withDescription(
    "Export a translation memory as a TMX file and print its path; into the current folder, if no other is named"
  ),
  Command.withExamples([
    {
      command: `effect-lingua memories export --fake ${translationMemoryId} --output copy.tmx --overwrite`,
      description: "To a file"
    }
  ])
)

const remove = Command.make(
  "delete",
  { id, ...Confirm.flags, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ TranslationMemories, TranslationMemoryId }) =>
        Effect.gen(function*() {
          const memories = yield* TranslationMemories
          const translationMemoryId = TranslationMemoryId.make(input.id)
          yield* Confirm.confirm(
            input,
            Effect.map(
              memories.get({ translationMemoryId }),
              ({ name, segmentCount = "?" }) => `delete the memory ${JSON.stringify(name)} (${segmentCount})`
            )
          )
          yield* memories.remove({ translationMemoryId })
          const results: Output.Results = { json: [{ translationMemoryId, deleted: true }], human: () => "" }
          return results
        })
      )
    )
    yield* tell("deleted", `the memory ${input.id} is deleted`, { translationMemoryId: input.id })
  })
).pipe(
  Command.withDescription("Delete a translation memory; it cannot be undone"),
  Command.withExamples([
    { command: `effect-lingua memories delete --fake --yes ${translationMemoryId}`, description: "Without being asked" }
  ])
)

const status = Command.make(
  "status",
  { id: jobId },
  ({ id }) => call(({ MemoryActions }) => MemoryActions.status(id))
).pipe(
  Command.withDescription("Print the state of an import or export"),
  Command.withExamples([{ command: `effect-lingua memories status --fake ${exportId}`, description: "One of them" }])
)

const wait = Command.make(
  "wait",
  { id: jobId },
  ({ id }) => Board.provide(call(({ MemoryActions }) => MemoryActions.wait(id)))
).pipe(
  Command.withDescription("Wait until an import or export is done, and print its state"),
  Command.withExamples([{ command: `effect-lingua memories wait --fake ${exportId}`, description: "One of them" }])
)

/** Translation memories. */
export const memories = Command.make("memories").pipe(
  Command.withDescription("Translation memories that translations can draw from"),
  Command.withSubcommands([
    list,
    show,
    segments,
    importing,
    exporting,
    remove,
    status,
    wait
  ])
)
