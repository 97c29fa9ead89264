/** Translation memories. */
import { limits, longer, pageBreaches, type Records, within } from "./record.ts"

const file = (fields: object) => ({ sourceFile: { fileName: "a.tmx", contentLength: 1, ...fields } })

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
    breaches: [
      ["a file has a name", "InvalidInput", file({ fileName: " " })],
      ["the name of a file has no folder", "InvalidInput", file({ fileName: "a/b.tmx" })],
      ...within(
        [
          longer("fileName", limits.importFileNameCharacters),
          longer("contentType", limits.importContentTypeCharacters)
        ],
        file
      ),
      ["a file is not empty", "InvalidInput", file({ contentLength: 0 })],
      ["a file has at most 1 GB", "LimitExceeded", file({ contentLength: limits.importBytes + 1 })]
    ]
  }
} satisfies Records<"TranslationMemories">
