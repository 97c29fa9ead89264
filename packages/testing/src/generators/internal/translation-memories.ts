/** Translation memories. */
import { NewImport } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import * as Arbitrary from "effect/Arbitrary"
import { derive } from "./derive.ts"
import { limits, longer, pageBreaches, type Records } from "./record.ts"

export const translationMemories = {
  "TranslationMemories.get": {},
  "TranslationMemories.status": {},
  "TranslationMemories.listPage": {
    answers: ({ pageSize = 10 }, { translationMemories }) => ({
      translationMemories: translationMemories.slice(0, pageSize)
    }),
    breaches: pageBreaches("memory")
  },
  "TranslationMemories.listSegmentsPage": {
    breaches: [
      ["a filter has at least 2 characters", "InvalidInput", { filterText: "a" }],
      ["a page has at least 1 segment", "InvalidInput", { pageSize: 0 }]
    ]
  },
  "TranslationMemories.remove": {},
  "TranslationMemories.startExport": {},
  "TranslationMemories.startImport": {
    request: Arbitrary.map(
      derive(NewImport),
      ({ parameters, sourceFile: { contentLength: size, ...file } }) => ({ ...parameters, ...file, size })
    ),
    breaches: [
      ["a file has a name", "InvalidInput", { fileName: " " }],
      ["the name of a file has no folder", "InvalidInput", { fileName: "a/b.tmx" }],
      longer("fileName", limits.importFileNameCharacters),
      longer("contentType", limits.importContentTypeCharacters),
      ["a file is not empty", "InvalidInput", { size: 0 }],
      ["a file has at most 1 GB", "LimitExceeded", { size: limits.importBytes + 1 }]
    ]
  }
} satisfies Records<"TranslationMemories">
