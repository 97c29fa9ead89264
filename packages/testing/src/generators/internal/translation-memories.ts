/** Translation memories. */
import { TranslationMemoriesApi } from "@effect-lingua/core/extension/Resources"
import * as Arbitrary from "effect/Arbitrary"
import type { ServiceState } from "../../fake/internal/model.ts"
import { derive, joined, params, query } from "./derive.ts"
import { limits, longer, pageBreaches, type Records } from "./record.ts"

const memories = ({ translationMemories }: ServiceState) =>
  translationMemories.map(({ translationMemoryId }) => ({ translationMemoryId }))

export const translationMemories = {
  "TranslationMemories.get": { existing: memories },
  "TranslationMemories.status": {
    existing: ({ translationMemoryJobs }) => translationMemoryJobs.map(({ jobId }) => ({ jobId }))
  },
  "TranslationMemories.listPage": {
    answers: ({ pageSize = 10 }, { translationMemories }) => ({
      translationMemories: translationMemories.slice(0, pageSize)
    }),
    breaches: pageBreaches("memory")
  },
  "TranslationMemories.listSegmentsPage": {
    // A cursor is that of an earlier page.
    request: Arbitrary.map(
      joined(params(TranslationMemoriesApi.listSegmentsPage), query(TranslationMemoriesApi.listSegmentsPage)),
      ({ pageCursor: _cursor, ...request }) => request
    ),
    existing: memories,
    breaches: [
      ["a filter has at least 2 characters", "InvalidInput", { filterText: "a" }],
      ["a page has at least 1 segment", "InvalidInput", { pageSize: 0 }]
    ]
  },
  "TranslationMemories.remove": { existing: memories },
  "TranslationMemories.startExport": {
    existing: ({ translationMemories, translationMemoryJobs }) =>
      translationMemories.flatMap(({ translationMemoryId: id }) =>
        translationMemoryJobs.some(({ operation, state, translationMemoryId }) =>
            operation === "export" && state === "processing" && translationMemoryId === id
          )
          ? []
          : [{ translationMemoryId: id }]
      )
  },
  "TranslationMemories.startImport": {
    request: Arbitrary.map(
      derive(TranslationMemoriesApi.NewImport),
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
