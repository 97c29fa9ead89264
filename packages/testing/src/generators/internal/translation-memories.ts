/** Translation memories. */
import { TranslationMemoryPage } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import * as Arbitrary from "effect/Arbitrary"
import { answerOf } from "./derive.ts"
import { limits, pageBreaches, type Records, tooLong } from "./record.ts"

const file = (fields: object) => ({ sourceFile: { fileName: "a.tmx", contentLength: 1, ...fields } })

export const translationMemories = {
  "TranslationMemories.get": {},
  "TranslationMemories.getJob": {},
  "TranslationMemories.list": {
    responseTo: ({ pageSize = 10 }) =>
      Arbitrary.map(answerOf(TranslationMemoryPage), (answer) => ({
        ...answer,
        translationMemories: answer.translationMemories.slice(0, pageSize)
      })),
    breaches: pageBreaches("memory")
  },
  "TranslationMemories.listSegments": {
    breaches: [
      ["a filter has at least 2 characters", "InvalidInput", { filterText: "a" }],
      ["a page has at least 1 segment", "InvalidInput", { pageSize: 0 }]
    ]
  },
  "TranslationMemories.remove": {},
  "TranslationMemories.startExport": {},
  "TranslationMemories.startImport": {
    breaches: [
      ["a file has a name", "InvalidInput", file({ fileName: " " })],
      ["the name of a file has no folder", "InvalidInput", file({ fileName: "a/b.tmx" })],
      [
        "the name of a file has at most 100 characters",
        "LimitExceeded",
        file({
          fileName: tooLong(limits.importFileNameCharacters)
        })
      ],
      [
        "a content type has at most 127 characters",
        "LimitExceeded",
        file({
          contentType: tooLong(limits.importContentTypeCharacters)
        })
      ],
      ["a file is not empty", "InvalidInput", file({ contentLength: 0 })],
      ["a file has at most 1 GB", "LimitExceeded", file({ contentLength: limits.importBytes + 1 })]
    ],
    errors: { OutcomeUnknown: true, LimitExceeded: true }
  }
} satisfies Records<"TranslationMemories">
