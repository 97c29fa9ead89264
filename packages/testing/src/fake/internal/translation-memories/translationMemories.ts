/** The translation memory endpoints. Memories are immutable. */
import { ExportRunning } from "@effect-lingua/core/errors/ServiceError"
import type { TranslationMemory } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as DateTime from "effect/DateTime"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import { group } from "../group.ts"
import { pageOf } from "../resources.ts"
import type { Fake, StoredMemory, StoredSegment } from "../state.ts"
import { handler, remove, step, tookEffect } from "../steps.ts"
import { countCharacters } from "../text.ts"
import * as Memories from "./memories.ts"

/** A memory in a response, with language codes in lower case. */
const memoryOf = ({ created, id, name, segments, source, targets }: StoredMemory): TranslationMemory => ({
  translationMemoryId: id,
  name,
  sourceLanguage: source.toLowerCase(),
  targetLanguages: targets.map((target) => target.toLowerCase()),
  segmentCount: segments.length,
  creationTime: created,
  updatedTime: created
})

const segmentOf = ({ source, targets, ...times }: StoredSegment, index: number) => ({
  sourceSegmentId: String(index + 1),
  sourceText: source,
  ...times,
  targets: Array.from(targets, ([language, text]) => ({
    targetSegmentId: `${index + 1}-${language.toLowerCase()}`,
    targetLanguage: language.toLowerCase(),
    targetText: text,
    ...times
  }))
})

const contains = (text: string, isExact: boolean) => ({ source, targets }: StoredSegment): boolean =>
  [source, ...targets.values()].some((candidate) =>
    isExact ? candidate.includes(text) : candidate.toLowerCase().includes(text.toLowerCase())
  )

/** A page cursor, valid only with the same filter. */
const cursorOf = (start: number, filter: string): string => btoa(encodeURIComponent(JSON.stringify([start, filter])))

const startOf = (cursor: string | undefined, total: number, size: number, filter: string): number | undefined => {
  if (cursor === undefined) return 0
  for (let start = size; start < total; start += size) if (cursorOf(start, filter) === cursor) return start
  return undefined
}

const memoriesOf = ({ store }: Fake) => store.memories

export const layer = group("TranslationMemories", (handlers) =>
  handlers.handleAll({
    listPage: handler(function*({ query }, _now, { account, fake }) {
      const memories = fake.store.memories.owned(account)
      const page = yield* pageOf(memories, query, fake.settings.limits.pageSize)
      return { translationMemories: page.map(memoryOf), totalCount: memories.length }
    }),
    get: ({ params }) =>
      step((_now, { account, fake }) =>
        Result.map(fake.store.memories.find(account, params.translationMemoryId), memoryOf)
      ),
    listSegmentsPage: handler(
      function*(
        { params, query: { filterCaseSensitive = false, filterText = "", pageCursor, pageSize = 50 } },
        _now,
        { account, fake }
      ) {
        const { segments } = yield* fake.store.memories.find(account, params.translationMemoryId)
        if (pageSize < 1) yield* notSupported("page_size")
        if (filterText !== "" && countCharacters(filterText) < 2) yield* notSupported("filter_text")
        const filter = JSON.stringify([filterText, filterCaseSensitive])
        const isFound = contains(filterText, filterCaseSensitive)
        const found = segments.map(segmentOf).filter((_, index) => segments.slice(index, index + 1).some(isFound))
        const start = startOf(pageCursor, found.length, pageSize, filter)
        if (start === undefined) return yield* notSupported("page_cursor")
        const end = start + pageSize
        return {
          segments: found.slice(start, end),
          segmentCount: segments.length,
          ...(end < found.length ? { nextPageCursor: cursorOf(end, filter) } : undefined)
        }
      }
    ),
    startImport: handler(
      function*({ payload: { parameters, sourceFile } }, now, { account, fake, host, jobFails: fails, note }) {
        const { limits } = fake.settings
        const { contentLength, contentType = "application/xml", fileName } = sourceFile
        const length = countCharacters(fileName)
        if (length < 1 || length > limits.importFileNameCharacters) yield* badRequest("Invalid file_name.")
        if (contentType.length > limits.importContentTypeCharacters) yield* badRequest("Invalid content_type.")
        if (contentLength < 1 || contentLength > limits.importBytes) yield* badRequest("Invalid content_length.")
        const about = { contentLength, contentType, fileName, displayName: parameters?.displayName, fails }
        const started = Memories.beginImport(fake, account, about, now, host)
        tookEffect(fake, note, started.jobId)
        return started
      }
    ),
    startExport: handler(function*({ params }, now, { account, fake, note }) {
      const memory = yield* fake.store.memories.find(account, params.translationMemoryId)
      const { id, isNew, isRunning } = Memories.beginExport(fake, account, memory, now)
      if (isRunning) {
        return yield* Result.fail(
          new ExportRunning({ description: "Another export of this translation memory is still running" })
        )
      }
      if (isNew) tookEffect(fake, note, id)
      const started = { job_id: id, parameters: { translation_memory_id: memory.id } }
      return HttpServerResponse.jsonUnsafe(started, { status: isNew ? 202 : 200 })
    }),
    status: ({ params }) =>
      step((now, { account, fake, host }) =>
        Result.map(
          fake.store.jobs.find(account, params.jobId),
          (job) => Memories.jobOf(fake, job, DateTime.toEpochMillis(now), host)
        )
      ),
    remove: ({ params: { translationMemoryId: id } }) =>
      remove(memoriesOf, id, ({ account, fake }) => memoriesOf(fake).find(account, id))
  }))
