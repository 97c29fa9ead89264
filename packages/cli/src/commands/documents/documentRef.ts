/** References to documents that the journal does not have. */
import { DocumentId } from "@effect-lingua/core/client/Ids"
import type { DocumentRef } from "@effect-lingua/core/documents/Documents"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Entries from "../../client/entries.ts"
import { fileText } from "../../files/input.ts"
import { NoSuchDocument } from "../../settings/errors.ts"
import type { Given } from "./documents.ts"

/** The reference of a document, with the key of the environment or of a file. */
export const refOf = Effect.fnUntraced(function*({ id, keyFile }: Given) {
  const key = keyFile === undefined
    ? Option.getOrUndefined(yield* Config.option(Config.Redacted("LANGUAGE_SERVICE_DOCUMENT_KEY")))
    : Redacted.make((yield* fileText(keyFile)).trim())
  if (key === undefined) {
    yield* Entries.get(id)
    return yield* new NoSuchDocument({
      message: `the journal does not have ${id}: set LANGUAGE_SERVICE_DOCUMENT_KEY to its key, or give ` +
        "--document-key-file a file that contains it"
    })
  }
  const ref: DocumentRef = { documentId: DocumentId.make(id), documentKey: key }
  return ref
})
