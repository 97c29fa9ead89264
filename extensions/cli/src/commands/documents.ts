/** `documents` and its commands. */
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import type { DocumentRef, DocumentStatus } from "@effect-lingua/core/documents/Documents"
import type { Entry } from "@effect-lingua/core/documents/Journal"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import type { SavedDocument } from "@effect-lingua/node/files/NodeDocuments"
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
import type * as Services from "../client/services.ts"
import { fileText } from "../files/input.ts"
import * as Output from "../files/output.ts"
import * as Place from "../files/place.ts"
import { advised } from "../screen/advised.ts"
import { tell } from "../screen/screen.ts"
import { type Columns, table } from "../screen/table.ts"
import { misuse, NoSuchDocument } from "../settings/errors.ts"
import { argument, checkOnce, concurrency, targetLanguage, targetLanguages, text, toggle } from "../settings/flags.ts"
import { group, writing } from "./command.ts"
import * as Flags from "./translationFlags.ts"
import * as Work from "./work.ts"

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

/** A document, and the file with its key if the journal does not have it. */
type Given = Command.Command.Config.Infer<typeof params>

/** Runs transfers. After a failure a command continues the document of the journal. */
const each = ({ Journal }: typeof Services) =>
  Work.each(
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
const deliver = (saved: SavedDocument, { source }: { readonly source?: string | undefined }) =>
  Output.print({
    json: [{ ...saved, source }],
    human: ({ clean }) => clean(saved.path)
  })

const translateParams = {
  files: argument(
    "file",
    "A file to translate, a folder for its documents, but for files of tools and those of .gitignore, or a pattern such as 'letters/**/*.docx'; the translation of letter.docx " +
      "goes into the same folder, as letter.de.docx"
  ).pipe(Argument.atLeast(1)),
  targets: targetLanguages(`The language to translate to, ${Flags.targets}, or that of the settings`),
  fields: shared,
  ...place,
  template: text("template", "path", "The path of each translation, with {folder}, {name}, {extension} and {language}"),
  skipExisting: toggle("skip-existing", "Skip translations whose file exists, such as of an interrupted run"),
  dryRun: toggle("dry-run", "List what would be sent, with its characters and the quota, and send no document"),
  concurrency
}

/** The arguments of `translate`. */
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
    yield* call(Effect.fnUntraced(function*(services) {
      if (input.dryRun) return yield* planned(jobs, services.Usage)
      const work = yield* workOf(jobs, input, services)
      yield* Effect.onInterrupt(each(services)(work, input.concurrency, deliver), () =>
        work.length > 1
          ? tell("next", "for the documents that were not begun, run this command again with --skip-existing")
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
    yield* call(Effect.fnUntraced(function*(services) {
      const options = yield* withIds(services, Flags.translationOptions(fields))
      const documents = yield* services.NodeDocuments
      const job = { name: file, source, run: documents.upload({ ...options, source: file }) }
      yield* each(services)([job], 1, ({ documentId, documentKey }: DocumentRef) => {
        const key = showKey ? { documentKey: Redacted.value(documentKey) } : undefined
        return Output.print({
          json: [{ documentId, ...key }],
          human: ({ clean }) => clean(key === undefined ? documentId : `${documentId} ${key.documentKey}`)
        })
      })
    }))
  })
})

/** The reference of a document, with the key of the environment or of a file. */
const refOf = Effect.fnUntraced(function*({ id, keyFile }: Given, { entry }: typeof Services) {
  const key = keyFile === undefined
    ? Option.getOrUndefined(yield* Config.option(Config.Redacted("LANGUAGE_SERVICE_DOCUMENT_KEY")))
    : Redacted.make((yield* fileText(keyFile)).trim())
  if (key === undefined) {
    yield* entry(id)
    return yield* new NoSuchDocument({
      message: `the journal does not have ${id}: set LANGUAGE_SERVICE_DOCUMENT_KEY to its key, or give ` +
        "--document-key-file a file that contains it"
    })
  }
  const ref: DocumentRef = { documentId: DocumentId.make(id), documentKey: key }
  return ref
})

const inWords = ({ billedCharacters, errorMessage, secondsRemaining, status }: DocumentStatus): string =>
  status === "translating" && secondsRemaining !== undefined
    ? `${status}, about ${Attempt.formatDuration(Duration.seconds(secondsRemaining))} left`
    : status === "done" && billedCharacters !== undefined
    ? `${status}, ${billedCharacters} characters will be billed`
    : status === "error"
    ? `failed${errorMessage === undefined ? "" : `: ${errorMessage}`}`
    : status

/** The state of a document, if it is known without a request. */
const fromJournal = (entry: Entry): string | undefined =>
  entry._tag === "Uploading"
    ? "its upload was interrupted; resume uploads it again"
    : entry._tag === "Received"
    ? "downloaded, but not yet saved at its target; resume saves it"
    : entry._tag === "Lost"
    ? `lost after ${entry.bytesReceived} bytes: ${entry.reason}`
    : undefined

const stateOf = ({ _tag }: Entry): string => _tag === "Uploading" ? "interrupted" : _tag.toLowerCase()

const status = writing("documents status", {
  description: "Report the state of a document",
  examples: { [`--fake ${documentId}`]: "A translated document" },
  params,
  run: (given) =>
    call(Effect.fnUntraced(function*(services) {
      const { Documents, Journal } = services
      const documents = yield* Documents
      const entry = yield* (yield* Journal.Journal).get(given.id)
      const why = entry === undefined ? undefined : Journal.foreignTo(documents.owner, entry)
      if (why !== undefined) return yield* new NoSuchDocument({ message: why.replace(/^It/, () => given.id) })
      const known = entry === undefined ? undefined : fromJournal(entry)
      if (entry !== undefined && known !== undefined) {
        const status = { documentId: given.id, status: stateOf(entry) }
        return yield* Output.print(Output.texts([status], () => `${entry.fileName ?? given.id}: ${known}`))
      }
      const ref = entry !== undefined && "documentKey" in entry ? entry : yield* refOf(given, services)
      const found = yield* documents.status({ documentId: ref.documentId, documentKey: ref.documentKey })
      yield* Output.print(Output.texts([found], () => `${entry?.fileName ?? given.id}: ${inWords(found)}`))
    }))
})

/** The job that saves a document of the journal. */
const resuming = Effect.fnUntraced(function*(
  { folder, output, overwrite }: Place.Place,
  { Journal, NodeDocuments }: typeof Services
) {
  const documents = yield* NodeDocuments
  return (entry: Entry) => {
    const id = Journal.idOf(entry)
    const hasNoTarget = output === undefined && folder === undefined && entry.target === undefined
    return {
      name: entry.fileName ?? id,
      id,
      source: entry.source,
      run: Effect.andThen(
        hasNoTarget ? misuse(`${id} was uploaded without a target: give --output or --output-dir`) : Effect.void,
        documents.resume({ entryId: id, target: output, folder, overwrite: overwrite || undefined })
      )
    }
  }
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
    yield* call(Effect.fnUntraced(function*(services) {
      const entry = yield* services.Journal.Journal.use(({ get }) => get(input.id))
      const place = input.output === undefined && input.folder === undefined && entry?.target === undefined
        ? { ...input, folder: "." }
        : input
      if (entry !== undefined) {
        return yield* each(services)([(yield* resuming(place, services))(entry)], 1, deliver)
      }
      const documents = yield* services.NodeDocuments
      const run = documents.downloadToFile({ ...yield* refOf(input, services), ...Place.destination(place) })
      yield* each(services)([{ name: input.id, id: input.id, run }], 1, deliver)
    }))
  })
})

const targetOf = ({ target }: Entry): string | undefined =>
  target === undefined ? undefined : "path" in target ? target.path : `${target.folder}/`

/** An entry for programs, without its key. */
const described = (id: string, entry: Entry) => ({
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

/** The steps that can follow, as sentences with a command. */
const nextSteps = (entries: ReadonlyArray<Entry>, commandOf: (args: string) => string) => {
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
    call(Effect.fnUntraced(function*({ Documents, entries, Journal }) {
      const owner = (yield* Documents).owner
      const all = yield* entries
      const here = all.filter((entry) => Journal.foreignTo(owner, entry) === undefined)
      const now = yield* Clock.currentTimeMillis
      const columns: Columns<Entry> = {
        ID: Journal.idOf,
        STATE: stateOf,
        AGE: ({ startedAt }) => {
          const seconds = Math.round((now - DateTime.toEpochMillis(startedAt)) / 1000)
          return Attempt.formatDuration(Duration.seconds(Math.max(0, seconds)))
        },
        TO: ({ fields }) => fields?.targetLanguage,
        FILE: "fileName"
      }
      yield* Output.print({
        json: here.map((entry) => described(Journal.idOf(entry), entry)),
        human: (style) => here.length === 0 ? "" : table(style, columns, here)
      })
      const commandOf = yield* advised
      if (here.length === 0) yield* tell("pending", "no document is pending", { pending: 0 })
      for (const message of nextSteps(here, commandOf)) yield* tell("next", message)
      const hosts = [...new Set(all.map(({ host }) => host))].filter((host) => host !== owner.host)
      if (hosts.length > 0) yield* tell("pending", `there are more at ${hosts.join(", ")}`, { hosts })
      const ids = all.filter(({ account, host }) => host === owner.host && account !== owner.account).map(Journal.idOf)
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
    yield* call(Effect.fnUntraced(function*(services) {
      const { Documents, entry, looked, NodeDocuments } = services
      const toJob = yield* resuming(place, services)
      const documents = yield* NodeDocuments
      if (ids.length > 0) {
        const jobs = yield* Effect.forEach(
          ids,
          (id) =>
            Effect.map(
              entry(id),
              (entry) => entry === undefined ? { name: id, id, run: documents.resume({ entryId: id }) } : toJob(entry)
            )
        )
        return yield* each(services)(jobs, concurrency, deliver)
      }
      const pending = yield* looked((yield* Documents).pending())
      const entries = pending.filter(({ _tag }) => _tag !== "Lost")
      const lost = pending.length - entries.length
      if (entries.length === 0) yield* tell("pending", "there is nothing to resume", { pending: 0 })
      if (lost > 0) yield* tell("lost", `${lost} lost, not resumed; see documents pending`, { lost })
      yield* each(services)(entries.map(toJob), concurrency, deliver)
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
    call(({ Documents }) =>
      Documents.use((documents) =>
        Effect.forEach(ids, (id) =>
          Effect.andThen(
            documents.adopt({ entryId: id }),
            Output.print(Output.done("adopted", `${id} belongs to this key now`, { id }))
          ), { discard: true })
      )
    )
})

const forget = writing("documents forget", {
  description: "Remove one of the documents from the journal; this program can no longer finish it",
  examples: { [`--fake ${documentId}`]: "One of them" },
  params: { id: argument("id", "The id of one of the documents, as printed by pending") },
  run: ({ id }) =>
    call(Effect.fnUntraced(function*({ Documents, entry: get }) {
      const entry = yield* get(id)
      if (entry === undefined) return yield* new NoSuchDocument({ message: `the journal does not have ${id}` })
      yield* Documents.use((documents) => documents.forget({ entryId: id }))
      const parts = "parts" in entry ? entry.parts.map(({ path }) => path) : []
      const left = parts.length === 0 ? "" : `; its received part stays in ${parts.join(", ")}`
      yield* Output.print(Output.done("forgotten", `${entry.fileName ?? id} is forgotten${left}`, { id }))
    }))
})

/** Documents. */
export const documents = group("documents", [translate, upload, status, download, pending, resume, adopt, forget])
