/** Files that are uploaded, with their source and target in the journal. */
import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import * as Journal from "@effect-lingua/core/documents/Journal"
import { NotResumable } from "@effect-lingua/core/errors/CallError"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { safeName, split } from "./safeName.ts"
import * as Source from "./source.ts"

/** The fields of an upload besides the file. */
export type Fields = Omit<UploadOptions, "content" | "fileName" | "size">

export const make = Effect.gen(function*() {
  const documents = yield* Documents
  const path = yield* Path.Path
  const check = yield* Source.make

  const upload = (
    source: Source.Source,
    fields: Fields,
    fileName: string | undefined,
    target?: Journal.Target,
    isClaimed?: boolean
  ) =>
    documents.upload({
      ...fields,
      fileName: fileName ?? source.name,
      content: source.content,
      size: source.size
    }).pipe(Effect.provideService(Journal.UploadFacts, { source: source.path, target, isClaimed }))

  /**
   * Prepares the second upload of a file after an upload whose response was lost. Both have one entry: with two, a kill would leave
   * two uploads to resume.
   */
  const prepareAgain = Effect.fnUntraced(function*(
    { fields, fileName, source: file, uploadId }: Extract<Journal.Entry, { readonly _tag: "Uploading" }>
  ) {
    if (file === undefined || fields === undefined) {
      return yield* new NotResumable({
        id: uploadId,
        description:
          "The response to its upload was lost, and the journal does not have the path of its file. Upload it again"
      })
    }
    const source = yield* check(file)
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    return (target: Journal.Target) => upload(source, { ...fields, anyType: true, uploadId }, fileName, target, true)
  })

  /** The default target: next to the source, with the language before the extension, which is that of the translation. */
  const nextTo = (source: Source.Source, { outputFormat, targetLanguage }: Fields): string => {
    const [stem, extension] = split(source.name)
    const own = extension.toLowerCase() === ".doc" ? `${extension}x` : extension
    const name = `${stem}.${targetLanguage}${outputFormat === undefined ? own : `.${outputFormat}`}`
    return path.join(path.dirname(source.path), safeName(name) ?? "document")
  }

  return { check, nextTo, prepareAgain, upload }
})
