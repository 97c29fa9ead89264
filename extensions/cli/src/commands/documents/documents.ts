/** `documents` and its commands. Their actions are loaded when they run: help does not wait for them. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { documentId } from "../../client/sample.ts"
import * as Place from "../../files/place.ts"
import {
  argument,
  checkOnce,
  concurrency,
  targetLanguage,
  targetLanguages,
  text,
  toggle
} from "../../settings/flags.ts"
import { command, group } from "../command.ts"
import * as Flags from "../translationFlags.ts"

const transfers = Effect.promise(() => import("./documentTransfers.ts"))
const entries = Effect.promise(() => import("./documentEntries.ts"))

const shared = {
  ...Flags.translationFlags,
  outputFormat: text("output-format", "extension", "Another type for the translation: docx for a PDF")
}

const fields = {
  targetLanguage: targetLanguage.pipe(Flag.withDescription(`The language to translate to, ${Flags.targets}`)),
  ...shared
}

/** The values of these flags. */
export type Fields = Command.Command.Config.Infer<typeof fields>

const place = Place.flags("the document")

const params = {
  id: argument("id", "The id of the document, as printed by upload and pending"),
  keyFile: text(
    "document-key-file",
    "file",
    "A file with the key of a document of another machine, - for standard input; or LANGUAGE_SERVICE_DOCUMENT_KEY"
  )
}

/** A document, and the file with its key if the journal does not have it. */
export type Given = Command.Command.Config.Infer<typeof params>

const translateParams = {
  files: argument(
    "file",
    "A file to translate, a folder for its documents, but for files of tools and those of .gitignore, or a pattern such as 'letters/**/*.docx'; the translation of letter.docx " +
      "goes into the same folder, as letter.de.docx"
  ).pipe(Argument.atLeast(1)),
  targets: targetLanguages(`The language to translate to, ${Flags.targets}, or that of the settings`),
  fields: shared,
  ...place,
  template: text(
    "template",
    "path",
    "Write each translation to this path, with {folder}, {name}, {extension} and {language} of its document"
  ),
  skipExisting: toggle(
    "skip-existing",
    "Leave out translations whose file exists, such as those of an interrupted run"
  ),
  dryRun: toggle("dry-run", "List what would be sent, with its characters and the quota, and send no document"),
  concurrency
}

/** The arguments of `translate`. */
export type TranslateInput = Command.Command.Config.Infer<typeof translateParams>

const translate = command("translate", {
  description: "Translate files into files and print their paths",
  examples: {
    "effect-lingua documents translate --fake --to de letter.txt --overwrite": "A file",
    "effect-lingua documents translate --fake --to fr --output-dir . --json letter.txt note.txt":
      "Several into a folder, for a program",
    "effect-lingua documents translate --fake --to de,fr . --output-dir ../translated --dry-run":
      "What a folder in two languages would cost"
  },
  params: translateParams,
  run: Effect.fnUntraced(function*(input) {
    const { plan, planned, translate } = yield* Effect.promise(() => import("./manyDocuments.ts"))
    const jobs = yield* plan(input)
    yield* call((services) => input.dryRun ? planned(jobs, services.Usage) : translate(jobs, input, services))
  })
})

const upload = command("upload", {
  description: "Upload a file for translation and print its id; download fetches the translation",
  examples: { "effect-lingua documents upload --fake --to de letter.txt": "A file" },
  params: {
    file: argument("file", "The file to translate"),
    fields,
    showKey: toggle("show-key", "Print the key after the id, for another machine; both together give access")
  },
  run: (input) =>
    Effect.andThen(
      Place.checkSources([input.file]),
      call((services) => Effect.flatMap(transfers, ({ upload }) => upload(input, services)))
    )
})

const status = command("status", {
  description: "Report the state of a document",
  examples: { [`effect-lingua documents status --fake ${documentId}`]: "A translated document" },
  params,
  run: (input) => call(() => Effect.flatMap(entries, ({ status }) => status(input)))
})

const download = command("download", {
  description: "Wait for a document and download it, which works once; by default into the current folder",
  examples: {
    [`effect-lingua documents download --fake ${documentId}`]: "Into the current folder",
    [`effect-lingua documents download --fake ${documentId} --output letter.de.txt --overwrite`]: "To a file"
  },
  params: { ...params, ...place },
  run: Effect.fnUntraced(function*(input) {
    yield* Place.check(input, 1)
    yield* call(() => Effect.flatMap(transfers, ({ download }) => download(input)))
  })
})

const pending = command("pending", {
  description: "List the documents that are not finished",
  examples: {
    "effect-lingua documents pending --fake": "For people",
    "effect-lingua documents pending --fake --json": "For programs"
  },
  params: {},
  run: () => call(() => Effect.flatMap(entries, ({ pending }) => pending))
})

const resumeParams = {
  ids: argument("id", "The ids of documents, as printed by pending; all by default").pipe(Argument.variadic()),
  ...place,
  concurrency
}

/** The arguments of `resume`. */
export type ResumeInput = Command.Command.Config.Infer<typeof resumeParams>

const resume = command("resume", {
  description: "Resume interrupted documents",
  examples: {
    "effect-lingua documents resume --fake": "All of them",
    [`effect-lingua documents resume --fake ${documentId} --output-dir .`]: "One, into another folder"
  },
  params: resumeParams,
  run: Effect.fnUntraced(function*(input) {
    yield* Place.check(input, input.ids.length)
    yield* checkOnce(input.ids)
    yield* call(() => Effect.flatMap(transfers, ({ resume }) => resume(input)))
  })
})

const adopt = command("adopt", {
  description: "Take over documents of a key that this key replaces; resume continues them",
  examples: { [`effect-lingua documents adopt --fake ${documentId}`]: "One of them" },
  params: {
    ids: argument("id", "The ids of documents of another key, as printed by pending").pipe(Argument.atLeast(1))
  },
  run: ({ ids }) => call(() => Effect.flatMap(entries, ({ adopt }) => adopt(ids)))
})

const forget = command("forget", {
  description: "Remove one of the documents from the journal; this program can no longer finish it",
  examples: { [`effect-lingua documents forget --fake ${documentId}`]: "One of them" },
  params: { id: argument("id", "The id of one of the documents, as printed by pending") },
  run: ({ id }) => call(() => Effect.flatMap(entries, ({ forget }) => forget(id)))
})

/** Documents. */
export const documents = group("documents", [translate, upload, status, download, pending, resume, adopt, forget])
