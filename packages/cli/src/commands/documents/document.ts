/** `document` and its commands. What they do is loaded when they run: help does not wait for it. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { call } from "../../client/client.ts"
import { documentId } from "../../client/sample.ts"
import * as Place from "../../files/place.ts"
import * as Board from "../../screen/board.ts"
import { checkOnce, concurrency, integer, known, text, texts, toggle } from "../../settings/flags.ts"

const fields = {
  target: Flag.String("to").pipe(
    Flag.withAlias("t"),
    Flag.withMetavar("language"),
    Flag.withDescription(`The language to translate to, ${known(["de", "en-GB", "en-US", "fr", "pt-BR"])}`)
  ),
  source: text("from", "language", "The language of the document; found out by default"),
  formality: text(
    "formality",
    "formality",
    `How the reader is addressed, ${known(["more", "less", "prefer_more", "prefer_less"])}`
  ),
  glossaries: texts("glossary", "id", "A glossary to keep to; needs --from"),
  style: text("style", "id", "A list of style rules, as style-rules list shows them"),
  memory: text("translation-memory", "id", "A translation memory to draw from"),
  threshold: integer("memory-threshold", "percent", "How much a segment of the memory must match, 0 to 100"),
  format: text("output-format", "extension", "Another type for the translation: docx for a PDF")
}

const place = Place.flags("the document")

const id = Argument.String("id").pipe(Argument.withDescription("The id of the document, as upload and pending give it"))

const keyFile = text(
  "document-key-file",
  "file",
  "A file with the key of a document of another machine, - for standard input; or LANGUAGE_SERVICE_DOCUMENT_KEY"
)

const translate = Command.make(
  "translate",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("A file to translate; each goes beside it, as letter.de.docx"),
      Argument.atLeast(1)
    ),
    ...fields,
    ...place,
    concurrency
  },
  Effect.fnUntraced(function*(input) {
    const path = yield* Path.Path
    yield* Place.check(input, input.files.length)
    yield* checkOnce(input.files.map((file) => path.resolve(file)))
    yield* Board.provide(call(({ DocumentFiles }) => DocumentFiles.translate(input)))
  })
).pipe(
  Command.withDescription(
    "Translate files into files and print their paths"
  ),
  Command.withExamples([
    { command: `effect-lingua document translate --fake --to de letter.txt --overwrite`, description: "A file" },
    {
      command: `effect-lingua document translate --fake --to fr --output-dir . --json letter.txt note.txt`,
      description: "Several into a folder, for a program"
    }
  ])
)

const upload = Command.make(
  "upload",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The file to translate")),
    ...fields,
    showKey: toggle("show-key", "Print the key after the id, for another machine; whoever has both has the document")
  },
  Effect.fnUntraced(function*(input) {
    yield* Board.provide(call(({ DocumentFiles }) => DocumentFiles.upload(input)))
  })
).pipe(
  Command.withDescription("Upload a file for its translation and print its id; download fetches it"),
  Command.withExamples([
    { command: `effect-lingua document upload --fake --to de letter.txt`, description: "A file" }
  ])
)

const status = Command.make(
  "status",
  { id, keyFile },
  (input) => call(({ DocumentActions }) => DocumentActions.status(input))
).pipe(
  Command.withDescription("Say how far a document is"),
  Command.withExamples([
    { command: `effect-lingua document status --fake ${documentId}`, description: "One that is translated" }
  ])
)

const download = Command.make(
  "download",
  { id, keyFile, ...place },
  Effect.fnUntraced(function*(input) {
    yield* Place.check(input, 1)
    yield* Board.provide(call(({ DocumentFiles }) => DocumentFiles.download(input)))
  })
).pipe(
  Command.withDescription(
    "Wait for a document and download it, which works once; into the current folder, if nothing else is known"
  ),
  Command.withExamples([
    { command: `effect-lingua document download --fake ${documentId}`, description: "Into the current folder" },
    {
      command: `effect-lingua document download --fake ${documentId} --output letter.de.txt --overwrite`,
      description: "To a file"
    }
  ])
)

const pending = Command.make(
  "pending",
  {},
  () => call(({ DocumentActions }) => DocumentActions.pending)
).pipe(
  Command.withDescription("List the documents that are on their way, and those that were lost"),
  Command.withExamples([
    { command: `effect-lingua document pending --fake`, description: "For people" },
    { command: `effect-lingua document pending --fake --json`, description: "For programs" }
  ])
)

const resume = Command.make(
  "resume",
  {
    ids: Argument.String("id").pipe(
      Argument.withDescription("The id of a document or upload, as pending gives it; all without one"),
      Argument.variadic()
    ),
    ...place,
    concurrency
  },
  Effect.fnUntraced(function*(input) {
    yield* Place.check(input, input.ids.length)
    yield* checkOnce(input.ids)
    yield* Board.provide(call(({ DocumentFiles }) => DocumentFiles.resume(input)))
  })
).pipe(
  Command.withDescription("Go on with documents that were cut off, whatever stopped them"),
  Command.withExamples([
    { command: `effect-lingua document resume --fake`, description: "All of them" },
    { command: `effect-lingua document resume --fake ${documentId} --output-dir .`, description: "One, to elsewhere" }
  ])
)

const forget = Command.make(
  "forget",
  { id },
  (input) => call(({ DocumentActions }) => DocumentActions.forget(input.id))
).pipe(
  Command.withDescription("Take a document off the list of pending ones; nobody can download it any more"),
  Command.withExamples([{ command: `effect-lingua document forget --fake ${documentId}`, description: "One of them" }])
)

const adopt = Command.make(
  "adopt",
  {
    ids: Argument.String("id").pipe(
      Argument.withDescription("The id of a document of another key, as pending gives it"),
      Argument.atLeast(1)
    )
  },
  (input) => call(({ DocumentActions }) => DocumentActions.adopt(input.ids))
).pipe(
  Command.withDescription(
    "Take over documents that a key uploaded which this one has replaced; resume goes on with them"
  ),
  Command.withExamples([{ command: `effect-lingua document adopt --fake ${documentId}`, description: "One of them" }])
)

/** Documents. */
export const document = Command.make("document").pipe(
  Command.withDescription("Translate whole files; what is cut off can be gone on with"),
  Command.withSubcommands([translate, upload, status, download, pending, resume, adopt, forget])
)
