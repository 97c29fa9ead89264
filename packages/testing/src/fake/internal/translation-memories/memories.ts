import { JobId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import type { NewTranslationMemory } from "../model.ts"
import { type Fake, ownerOf, type StoredExport, type StoredImport, type StoredMemory } from "../state.ts"
import { canonicalCode, rootOf } from "../text.ts"
import * as Tmx from "./tmx.ts"

const urlLife = Duration.toMillis("15 minutes")
const exportLife = Duration.toMillis("1 hour")

const hold = (fake: Fake, account: string, memory: StoredMemory, isShared?: boolean): TranslationMemoryId => {
  fake.store.memories.add(account, memory.id, memory, isShared)
  return memory.id
}

export const add = (fake: Fake, given: NewTranslationMemory, created: DateTime.Utc): TranslationMemoryId =>
  hold(fake, ownerOf(fake.settings, given.account), {
    id: given.translationMemoryId ?? TranslationMemoryId.make(fake.store.ids.uuid()),
    name: given.name ?? "Memory",
    source: rootOf(given.sourceLanguage),
    targets: given.targetLanguages.map(canonicalCode),
    segments: (given.segments ?? []).map(({ targets, ...segment }) =>
      Object.assign(segment, {
        targets: new Map(Object.entries(targets).map(([language, text]) => [canonicalCode(language), text]))
      })
    ),
    created
  }, given.isShared)

const at = (time: number): DateTime.Utc => DateTime.makeUnsafe(time)

const jobMillis = (fake: Fake): number => Duration.toMillis(fake.settings.readyAfter)

const uploadExpires = ({ created }: StoredImport): number => DateTime.toEpochMillis(created) + urlLife

const exportReady = (fake: Fake, { created }: StoredExport): number => DateTime.toEpochMillis(created) + jobMillis(fake)

export const settle = (fake: Fake, now: number): void => {
  for (const job of fake.store.jobs.values()) {
    if (job.operation === "export" || job.file === undefined || job.result !== undefined) continue
    const { at: arrived, content } = job.file
    const ready = arrived + jobMillis(fake)
    if (now < ready) continue
    const contents = job.fails !== undefined
      ? { error: job.fails }
      : content.length === job.contentLength
      ? Tmx.parse(content)
      : { error: `The file has ${content.length} bytes instead of ${job.contentLength}.` }
    job.file = { content: new Uint8Array(), at: arrived }
    if ("error" in contents) {
      job.result = contents
      continue
    }
    const { segments, skipped, source } = contents
    job.result = { skipped }
    hold(fake, fake.store.jobs.ownerOf(job.id) ?? "", {
      id: job.memoryId,
      name: job.displayName ?? job.fileName,
      source: rootOf(source),
      targets: Array.from(new Set(segments.flatMap(({ targets }) => Array.from(targets.keys())))),
      segments,
      created: at(ready)
    })
  }
}

/** An import's state. The service notices an uploaded file after a tenth of the processing time. */
const importState = (fake: Fake, job: StoredImport, now: number) => {
  if (job.file === undefined) return now < uploadExpires(job) ? "awaiting_input" : "expired"
  if (job.result !== undefined) return "error" in job.result ? "failed" : "completed"
  return now - job.file.at < jobMillis(fake) / 10 ? "awaiting_input" : "processing"
}

const exportState = (fake: Fake, job: StoredExport, now: number) => {
  const ready = exportReady(fake, job)
  return now < ready ? "processing" : now >= ready + exportLife ? "expired" : job.isFetched ? "downloaded" : "completed"
}

export const stateOf = (fake: Fake, job: StoredImport | StoredExport, now: number) =>
  job.operation === "export" ? exportState(fake, job, now) : importState(fake, job, now)

/** The time of a job's last state change. */
const updated = (fake: Fake, job: StoredImport | StoredExport, now: number): DateTime.Utc => {
  const began = DateTime.toEpochMillis(job.created)
  const steps = job.operation === "export"
    ? [exportReady(fake, job), exportReady(fake, job) + exportLife]
    : job.file === undefined
    ? [uploadExpires(job)]
    : [job.file.at + jobMillis(fake) / 10, job.file.at + jobMillis(fake)]
  return at(Math.max(began, ...steps.filter((step) => step <= now)))
}

/** A signed file URL on the host that the client called. */
const addressOf = (host: string, kind: "uploads" | "downloads", { id, signature }: StoredImport | StoredExport) =>
  `${host}/_storage/${kind}/${id}?signature=${signature}`

export const jobOf = (fake: Fake, job: StoredImport | StoredExport, now: number, host: string) => {
  const about = {
    jobId: job.id,
    operation: job.operation,
    creationTime: job.created,
    updatedTime: updated(fake, job, now)
  }
  if (job.operation === "export") {
    const state = exportState(fake, job, now)
    const isAvailable = state === "completed" || state === "downloaded"
    const expires = now + urlLife
    return {
      ...about,
      state,
      translationMemoryId: job.memoryId,
      ...(isAvailable
        ? {
          downloadUrl: Redacted.make(`${addressOf(host, "downloads", job)}&expires=${expires}`),
          expiresAt: at(expires)
        }
        : undefined)
    }
  }
  const state = importState(fake, job, now)
  return {
    ...about,
    state,
    sourceFile: { contentType: job.contentType, contentLength: job.contentLength },
    ...(job.displayName === undefined ? undefined : { displayName: job.displayName }),
    ...(state === "awaiting_input" ? { requiredAction: "Waiting for upload" } : undefined),
    ...(job.result === undefined
      ? undefined
      : "error" in job.result
      ? { errorMessage: job.result.error }
      : { translationMemoryId: job.memoryId, skippedSegmentCount: job.result.skipped })
  }
}

export const beginImport = (
  fake: Fake,
  account: string,
  about: Pick<StoredImport, "contentLength" | "contentType" | "displayName" | "fails" | "fileName">,
  created: DateTime.Utc,
  host: string
) => {
  const { ids, jobs } = fake.store
  const job: StoredImport = {
    ...about,
    operation: "import",
    id: JobId.make(ids.uuid()),
    signature: ids.hex(64),
    memoryId: TranslationMemoryId.make(ids.uuid()),
    created,
    file: undefined,
    result: undefined
  }
  jobs.add(account, job.id, job)
  return {
    jobId: job.id,
    uploadUrl: Redacted.make(addressOf(host, "uploads", job)),
    expiresAt: at(uploadExpires(job))
  }
}

/** Starts an export, or returns a running or unexpired export. */
export const beginExport = (fake: Fake, account: string, memory: StoredMemory, created: DateTime.Utc) => {
  const { ids, jobs } = fake.store
  const now = DateTime.toEpochMillis(created)
  const earlier = jobs.owned(account).findLast((job) => job.operation === "export" && job.memoryId === memory.id)
  const state = earlier?.operation === "export" ? exportState(fake, earlier, now) : undefined
  if (earlier !== undefined && state !== undefined && state !== "expired") {
    return { id: earlier.id, isNew: false, isRunning: state === "processing" }
  }
  const job: StoredExport = {
    operation: "export",
    id: JobId.make(ids.uuid()),
    signature: ids.hex(64),
    memoryId: memory.id,
    created,
    content: Tmx.format(memory.source, memory.segments),
    isFetched: false
  }
  jobs.add(account, job.id, job)
  return { id: job.id, isNew: true, isRunning: false }
}

/** Accepts an import's file, unless the URL has expired or processing has begun. */
export const receive = (fake: Fake, job: StoredImport, content: Uint8Array, now: number): boolean => {
  if (importState(fake, job, now) !== "awaiting_input") return false
  job.file = { content, at: job.file?.at ?? now }
  return true
}
