import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Documents, type DocumentStatus } from "@effect-lingua/core/documents/Documents"
import { foreignTo, idOf, Journal } from "@effect-lingua/core/documents/Journal"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { call } from "../client/client.ts"
import { withIds } from "../client/names.ts"
import { documentId } from "../client/sample.ts"
import { fileText } from "../files/input.ts"
import * as Output from "../files/output.ts"
import * as Place from "../files/place.ts"
import { advised } from "../screen/advised.ts"
import { tell } from "../screen/screen.ts"
import { type Columns, table } from "../screen/table.ts"
import { FileUnusable, misuseIf, NoSuchDocument } from "../settings/errors.ts"
import { argument, checkOnce, concurrency, targetLanguage, targetLanguages, text, toggle } from "../settings/flags.ts"
import { group, writing } from "./command.ts"
import * as Flags from "./translationFlags.ts"
import * as Work from "./work.ts"

/** Fails if the journal cannot be read. Otherwise an unreadable journal would look empty. */
const looked = Effect.fnUntraced(function*<A, E, R>(look: Effect.Effect<A, E, R>) {
  const journal = yield* Journal
  const found = yield* look
  const reason = yield* journal.unreadable
  return reason === undefined
    ? found
    : yield* new FileUnusable({ message: `the journal of documents cannot be read: ${reason}` })
})

/** All documents and uploads of the journal. */
export const entries = looked(Journal.use((journal) => journal.entries))

const entryOf = (id: string) => looked(Journal.use((journal) => journal.get(id)))

const place = Place.flags("the document")

const shared = {
  ...Flags.translationFlags,
  outputFormat: text("output-format", "extension", "Another type for the translation: docx for a PDF")
}

const params = {
  id: argument("id", "The id of the document, as printed by upload and pending"),
  keyFile: text(
    "document-key-file",
    "file",
    "A file with the key of a document, - for standard input; or LANGUAGE_SERVICE_DOCUMENT_KEY"
  )
}

type RefInput = Command.Command.Config.Infer<typeof params>

/** Runs transfers. After a failure, a message names the command that continues the transfer. */
const each = Work.each(
  Effect.fnUntraced(function*({ id: jobId, source, startedAt }, commandOf) {
    const entries = yield* (yield* Journal).entries
    const entry = entries.find((entry) => idOf(entry) === jobId) ??
      entries.find((entry) =>
        entry._tag === "Uploading" && source !== undefined && entry.source === source &&
        DateTime.toEpochMillis(entry.startedAt) >= startedAt
      )
    if (entry === undefined) return undefined
    const id = idOf(entry)
    // Without a target in the entry, `resume` requires a target, and `download` uses the current folder.
    const verb = entry._tag === "Lost" ? "forget" : entry.target === undefined ? "download" : "resume"
    const command = commandOf(`documents ${verb} ${id}`)
    const message = entry._tag === "Uploading"
      // After a second upload, the service may have the document twice. Only a download is billed.
      ? `to upload it again: ${command}; a first upload is never billed`
      : `${entry._tag === "Lost" ? "to remove it from the list" : "to resume"}: ${command}`
    return { id, command, message }
  }),
  "documents resume"
)

const deliver = (saved: NodeDocuments.SavedDocument, { source }: { readonly source?: string | undefined }) =>
  Output.print(Output.texts([{ ...saved, source }], ({ path }) => path))

const translateParams = {
  files: argument(
    "file",
    "A file, a folder (without files of tools and .gitignore), or a pattern such as 'letters/**/*.docx'; letter.docx becomes letter.de.docx"
  ).pipe(Argument.atLeast(1)),
  targets: targetLanguages(`The language to translate to, ${Flags.targets}; by default from the settings`),
  fields: shared,
  ...place,
  template: text("template", "path", "The path of each translation, with {folder}, {name}, {extension} and {language}"),
  skipExisting: toggle("skip-existing", "Skip translations whose file exists, such as of an interrupted run"),
  dryRun: toggle("dry-run", "List what would be sent, with its characters and the quota, and send no document"),
  concurrency
}

export type TranslateInput = Command.Command.Config.Infer<typeof translateParams>

const translate = writing("documents translate", {
  description: "Translate files into files and print their paths",
  examples: {
    "--fake --to de letter.txt --overwrite": "A file",
    "--fake --to fr --output-dir . --json letter.txt note.txt": "Several into a folder, for a program",
    "--fake --to de,fr . --output-dir ../translated --dry-run": "What a folder in two languages would cost"
  },
  params: translateParams,
  run: Effect.fnUntraced(function*(input) {
    const { plan, planned, workOf } = yield* Effect.promise(() => import("./manyDocuments.ts"))
    const jobs = yield* plan(input)
    yield* call(Effect.gen(function*() {
      if (input.dryRun) return yield* planned(jobs)
      const work = yield* workOf(jobs, input)
      yield* Effect.onInterrupt(each(work, input.concurrency, deliver), () =>
        work.length > 1
          ? tell("next", "for the documents that were not started, run this command again with --skip-existing")
          : Effect.void)
      if (work.length > 1) yield* tell("translated", `${work.length} translations`, { translated: work.length })
    }))
  })
})

const upload = writing("documents upload", {
  description: "Upload a file for translation and print its id; download fetches the translation",
  examples: { "--fake --to de letter.txt": "A file" },
  params: {
    file: argument("file", "The file to translate"),
    fields: {
      targetLanguage: targetLanguage.pipe(Flag.withDescription(`The language to translate to, ${Flags.targets}`)),
      ...shared
    },
    showKey: toggle("show-key", "Print the key after the id, for another machine; both together give access")
  },
  run: Effect.fnUntraced(function*({ fields, file, showKey }) {
    yield* Place.checkSources([file])
    const source = (yield* Path.Path).resolve(file)
    yield* call(Effect.gen(function*() {
      const options = yield* withIds(Flags.translationOptions(fields))
      const documents = yield* NodeDocuments
      const job = { name: file, source, run: documents.upload({ ...options, source: file }) }
      yield* each([job], 1, ({ documentId, documentKey }: Documents.DocumentRef) => {
        const shown = { documentId, ...(showKey ? { documentKey: Redacted.value(documentKey) } : undefined) }
        return Output.print(Output.texts([shown], (ref) => Object.values(ref).join(" ")))
      })
    }))
  })
})

const refOf = Effect.fnUntraced(function*({ id, keyFile }: RefInput) {
  const key = keyFile === undefined
    ? Option.getOrUndefined(yield* Config.option(Config.Redacted("LANGUAGE_SERVICE_DOCUMENT_KEY")))
    : Redacted.make((yield* fileText(keyFile)).trim())
  if (key !== undefined) return { documentId: DocumentId.make(id), documentKey: key }
  yield* entryOf(id)
  return yield* new NoSuchDocument({
    message: `the journal does not have ${id}: give its key with --document-key-file or LANGUAGE_SERVICE_DOCUMENT_KEY`
  })
})

const inWords = ({ billedCharacters, errorMessage, secondsRemaining, status }: DocumentStatus): string =>
  status === "translating" && secondsRemaining !== undefined
    ? `${status}, about ${Attempt.formatDuration(Duration.seconds(secondsRemaining))} left`
    : status === "done" && billedCharacters !== undefined
    ? `${status}, ${billedCharacters} characters will be billed`
    : status === "error"
    ? `failed${errorMessage === undefined ? "" : `: ${errorMessage}`}`
    : status

/** A document's state, if it is known without a request. */
const fromJournal = (entry: Journal.Entry): string | undefined =>
  entry._tag === "Uploading"
    ? "its upload was interrupted; resume uploads it again"
    : entry._tag === "Received"
    ? "downloaded, but not yet saved at its target; resume saves it"
    : entry._tag === "Lost"
    ? `lost after ${entry.bytesReceived} bytes: ${entry.reason}`
    : undefined

const stateOf = ({ _tag }: Journal.Entry): string => _tag === "Uploading" ? "interrupted" : _tag.toLowerCase()

const status = writing("documents status", {
  description: "Report the state of a document",
  examples: { [`--fake ${documentId}`]: "A translated document" },
  params,
  run: (input) =>
    call(Effect.gen(function*() {
      const documents = yield* Documents
      const entry = yield* (yield* Journal).get(input.id)
      const why = entry === undefined ? undefined : foreignTo(documents.owner, entry)
      if (why !== undefined) return yield* new NoSuchDocument({ message: why.replace(/^It/, () => input.id) })
      const known = entry === undefined ? undefined : fromJournal(entry)
      if (entry !== undefined && known !== undefined) {
        const status = { documentId: input.id, status: stateOf(entry) }
        return yield* Output.print(Output.texts([status], () => `${entry.fileName ?? input.id}: ${known}`))
      }
      const ref = entry !== undefined && "documentKey" in entry ? entry : yield* refOf(input)
      const found = yield* documents.status({ documentId: ref.documentId, documentKey: ref.documentKey })
      yield* Output.print(Output.texts([found], () => `${entry?.fileName ?? input.id}: ${inWords(found)}`))
    }))
})

const resuming =
  ({ folder, output, overwrite }: Place.Place) => (entryId: string, entry: Journal.Entry | undefined) => ({
    name: entry?.fileName ?? entryId,
    id: entryId,
    source: entry?.source,
    run: Effect.gen(function*() {
      yield* misuseIf(
        entry !== undefined && output === undefined && folder === undefined && entry.target === undefined,
        `${entryId} was uploaded without a target: give --output or --output-dir`
      )
      const documents = yield* NodeDocuments
      return yield* documents.resume({ entryId, target: output, folder, overwrite: overwrite || undefined })
    })
  })

const download = writing("documents download", {
  description: "Wait for a document and download it, which works once; by default into the current folder",
  examples: {
    [`--fake ${documentId}`]: "Into the current folder",
    [`--fake ${documentId} --output letter.de.txt --overwrite`]: "To a file"
  },
  params: { ...params, ...place },
  run: Effect.fnUntraced(function*(input) {
    yield* Place.check(input, 1)
    yield* call(Effect.gen(function*() {
      const entry = yield* Journal.use(({ get }) => get(input.id))
      const place = input.output === undefined && input.folder === undefined && entry?.target === undefined
        ? { ...input, folder: "." }
        : input
      if (entry !== undefined) return yield* each([resuming(place)(input.id, entry)], 1, deliver)
      const documents = yield* NodeDocuments
      const run = documents.downloadToFile({ ...yield* refOf(input), ...Place.destination(place) })
      yield* each([{ name: input.id, id: input.id, run }], 1, deliver)
    }))
  })
})

const targetOf = ({ target }: Journal.Entry): string | undefined =>
  target === undefined ? undefined : "path" in target ? target.path : `${target.folder}/`

/** A journal entry without its document key. */
const described = (id: string, entry: Journal.Entry) => ({
  id,
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

const pending = writing("documents pending", {
  description: "List the documents that are not finished",
  examples: { "--fake": "For people", "--fake --json": "For programs" },
  params: {},
  run: () =>
    call(Effect.gen(function*() {
      const owner = (yield* Documents).owner
      const all = yield* entries
      const here = all.filter((entry) => foreignTo(owner, entry) === undefined)
      const now = yield* Clock.currentTimeMillis
      const columns: Columns<Journal.Entry> = {
        ID: idOf,
        STATE: stateOf,
        AGE: ({ startedAt }) => {
          const seconds = Math.round((now - DateTime.toEpochMillis(startedAt)) / 1000)
          return Attempt.formatDuration(Duration.seconds(Math.max(0, seconds)))
        },
        TO: ({ fields }) => fields?.targetLanguage,
        FILE: "fileName"
      }
      yield* Output.print({
        json: here.map((entry) => described(idOf(entry), entry)),
        human: (style) => here.length === 0 ? "" : table(style, columns, here)
      })
      const commandOf = yield* advised
      if (here.length === 0) yield* tell("pending", "no document is pending", { pending: 0 })
      for (const message of nextSteps(here, commandOf)) yield* tell("next", message)
      const hosts = [...new Set(all.map(({ host }) => host))].filter((host) => host !== owner.host)
      if (hosts.length > 0) yield* tell("pending", `there are more at ${hosts.join(", ")}`, { hosts })
      const ids = all.filter(({ account, host }) => host === owner.host && account !== owner.account).map(idOf)
      if (ids.length > 0) {
        const message = `there are more of another key: ${ids.join(", ")}; to take one over: `
        yield* tell("pending", message + commandOf("documents adopt <id>"), { ids })
      }
    }))
})

const resume = writing("documents resume", {
  description: "Resume interrupted documents",
  examples: { "--fake": "All of them", [`--fake ${documentId} --output-dir .`]: "One, into another folder" },
  params: {
    ids: argument("id", "The ids of documents, as printed by pending; all by default").pipe(Argument.variadic()),
    ...place,
    concurrency
  },
  run: Effect.fnUntraced(function*({ concurrency, ids, ...place }) {
    yield* Place.check(place, ids.length)
    yield* checkOnce(ids)
    yield* call(Effect.gen(function*() {
      const toJob = resuming(place)
      if (ids.length > 0) {
        const jobs = yield* Effect.forEach(ids, (id) => Effect.map(entryOf(id), (entry) => toJob(id, entry)))
        return yield* each(jobs, concurrency, deliver)
      }
      const pending = yield* looked((yield* Documents).pending)
      const entries = pending.filter(({ _tag }) => _tag !== "Lost")
      const lost = pending.length - entries.length
      if (entries.length === 0) yield* tell("pending", "there is nothing to resume", { pending: 0 })
      if (lost > 0) yield* tell("lost", `${lost} lost, not resumed; see documents pending`, { lost })
      yield* each(entries.map((entry) => toJob(idOf(entry), entry)), concurrency, deliver)
    }))
  })
})

const adopt = writing("documents adopt", {
  description: "Take over documents of a key that this key replaces; resume continues them",
  examples: { [`--fake ${documentId}`]: "One of them" },
  params: {
    ids: argument("id", "The ids of documents of another key, as printed by pending").pipe(Argument.atLeast(1))
  },
  run: ({ ids }) =>
    call(Effect.gen(function*() {
      const documents = yield* Documents
      for (const id of ids) {
        yield* documents.adopt({ entryId: id })
        yield* Output.print(Output.done("adopted", `${id} belongs to this key now`, { id }))
      }
    }))
})

const forget = writing("documents forget", {
  description: "Remove one of the documents from the journal; this program can no longer finish it",
  examples: { [`--fake ${documentId}`]: "One of them" },
  params: { id: argument("id", "The id of one of the documents, as printed by pending") },
  run: ({ id }) =>
    call(Effect.gen(function*() {
      const entry = yield* entryOf(id)
      if (entry === undefined) return yield* new NoSuchDocument({ message: `the journal does not have ${id}` })
      yield* Documents.use((documents) => documents.forget({ entryId: id }))
      const parts = "parts" in entry ? entry.parts.map(({ path }) => path) : []
      const left = parts.length === 0 ? "" : `; its received part stays in ${parts.join(", ")}`
      yield* Output.print(Output.done("forgotten", `${entry.fileName ?? id} is forgotten${left}`, { id }))
    }))
})

export const documents = group("documents", [translate, upload, status, download, pending, resume, adopt, forget])
