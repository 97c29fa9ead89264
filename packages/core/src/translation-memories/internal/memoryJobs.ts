/** Imports and exports of translation memories: jobs of the service, and what the journal keeps of them. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { JobBusy, NotResumable } from "../../client/CallError.ts"
import * as Events from "../../client/Events.ts"
import type { JobId, TranslationMemoryId } from "../../client/Ids.ts"
import { call, composed, create, expectId, expectUsableId } from "../../client/internal/call.ts"
import { checkId, checkLength, checkText } from "../../client/internal/checks.ts"
import * as ContractClient from "../../client/internal/contractClient.ts"
import { isFailure } from "../../client/internal/failure.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../client/ResiliencePolicy.ts"
import { JobFailed } from "../../client/ServiceError.ts"
import * as DocumentJournal from "../../documents/Journal.ts"
import * as JobFile from "../../jobs/internal/jobFile.ts"
import * as Owner from "../../documents/internal/owner.ts"
import * as Jobs from "../../jobs/internal/polling.ts"
import * as Storage from "../../jobs/internal/signedFile.ts"
import * as Uploading from "../../jobs/internal/uploading.ts"
import { JobProgress, report, Reporter } from "../../jobs/JobProgress.ts"

import type { ExportOptions, ImportedMemory, ImportOptions } from "../TranslationMemories.ts"
import { type Job, type NewImport, TranslationMemoriesApi } from "../TranslationMemoriesApi.ts"
import { checkTmx } from "./tmx.ts"

/** The type of TMX files where none is given (reference B16). */
const defaultContentType = "application/xml"

type Content = JobFile.Content
type ImportEntry = Extract<DocumentJournal.JobEntry, { readonly _tag: "Import" }>
type Started = NonNullable<ImportEntry["started"]>
type ExportEntry = Extract<DocumentJournal.JobEntry, { readonly _tag: "Export" }>

const ended = (operation: string, jobId: JobId, { state }: Job, description: string) =>
  Jobs.failed({ operation, jobId, state, description })

const notResumable = (id: string, description: string) => new NotResumable({ id, description })

export const make = Effect.gen(function*() {
  const client = yield* ContractClient.make(TranslationMemoriesApi)
  const storage = yield* Storage.make
  const config = yield* LanguageServiceConfig
  const events = yield* Events.Events
  const journal = Option.getOrElse(
    yield* Effect.serviceOption(DocumentJournal.DocumentJournal),
    () => DocumentJournal.make()
  )
  const { limits } = config
  const owner = Owner.make(config)
  const base = ResiliencePolicy.override(config.resilience, config.serviceResilience.TranslationMemories ?? {})
  const policy = Effect.map(ResiliencePolicy.Override, (fields) => ResiliencePolicy.override(base, fields))

  const ask = (jobId: JobId) =>
    client().TranslationMemories.getJob({ params: { jobId } }).pipe(
      Effect.tap((job) => expectId("job", jobId, job.jobId)),
      // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
      Effect.map((job) => ({ ...job, jobId }))
    )

  const untilDone = Effect.fnUntraced(function*(operation: string, jobId: JobId) {
    return yield* Jobs.untilEnded({
      operation,
      jobId,
      ask: ask(jobId),
      stateOf: ({ state }) => state,
      end: (job) => {
        switch (job.state) {
          case "completed":
          case "downloaded":
            return Effect.as(report(() => JobProgress.Completed({ jobId })), job)
          case "failed":
          case "expired":
            return ended(operation, jobId, job, job.errorMessage ?? "")
          default:
            return undefined
        }
      },
      policy: yield* policy,
      events
    })
  })

  const wait = ({ jobId }: { readonly jobId: JobId }) =>
    call(
      "TranslationMemories.wait",
      Effect.andThen(checkId("jobId", jobId), untilDone("TranslationMemories.wait", jobId))
    )

  const checkImport = Effect.fnUntraced(function*(
    { contentType = defaultContentType, displayName, fileName }: Pick<
      ImportOptions,
      "contentType" | "displayName" | "fileName"
    >,
    size: number
  ) {
    yield* Uploading.checkFileName(fileName)
    yield* checkLength("fileName", fileName, limits.importFileNameCharacters)
    yield* JobFile.checkContentType(contentType)
    yield* checkLength("contentType", contentType, limits.importContentTypeCharacters)
    if (displayName !== undefined) yield* checkText("displayName", displayName)
    yield* JobFile.checkBytes(size, limits.importBytes)
  })

  const startImport = Effect.fnUntraced(function*(payload: NewImport) {
    const { sourceFile: { contentLength, contentType, fileName }, parameters } = payload
    const displayName = parameters?.displayName
    yield* checkImport({ fileName, contentType, displayName }, contentLength)
    const started = yield* client().TranslationMemories.startImport({ payload })
    // Nobody could ask for it.
    yield* expectUsableId("job", started.jobId)
    return started
  })

  const started = (payload: NewImport) =>
    create("TranslationMemories.startImport", { fileName: payload.sourceFile.fileName }, startImport(payload))

  const startedExport = ({ translationMemoryId }: { readonly translationMemoryId: TranslationMemoryId }) =>
    call(
      "TranslationMemories.startExport",
      Effect.andThen(
        checkId("translationMemoryId", translationMemoryId),
        Effect.tap(
          client().TranslationMemories.startExport({ params: { translationMemoryId } }),
          ({ jobId }) => expectUsableId("job", jobId)
        )
      )
    )

  /** Sends the file of an import to the address that the service gave for it. */
  const sent = Effect.fnUntraced(function*(entry: ImportEntry, job: Started, file: JobFile.File) {
    const operation = "TranslationMemories.upload"
    const transfer = { operation, jobId: job.jobId, policy: yield* policy, address: { url: job.uploadUrl } }
    yield* composed(operation, JobFile.send(storage, transfer, file, entry.contentType))
    yield* journal.put({ ...entry, started: job, isSent: true })
  })

  /** Starts a job unless the entry has one, and sends the file. The claim of the entry is held. */
  const uploaded = Effect.fnUntraced(function*(entry: ImportEntry, file: JobFile.File) {
    const begin = Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      yield* journal.put(entry)
      const { expiresAt, jobId, uploadUrl } = yield* restore(started({
        sourceFile: { fileName: entry.fileName, contentType: entry.contentType, contentLength: file.size },
        ...(entry.displayName === undefined ? undefined : { parameters: { displayName: entry.displayName } })
      }))
      const job: Started = {
        jobId,
        uploadUrl,
        contentLength: file.size,
        ...(expiresAt === undefined ? undefined : { expiresAt })
      }
      yield* journal.put({ ...entry, started: job, isSent: false })
      yield* report(() => JobProgress.Started({ jobId, id: entry.id }))
      return job
    }))
    const job = entry.started ?? (yield* begin)
    // A storage may refuse a file that it has. The state of the job tells whether it does.
    const mayBeThere = (error: Effect.Error<ReturnType<typeof sent>>) =>
      error._tag === "TransferFailed" && error.status !== undefined && !error.isTransient &&
      error.attempts.at(-1)?.outcome === "refused" &&
      (entry.started !== undefined || error.attempts.some(({ outcome }) => outcome === "unknown"))
    yield* Effect.catchIf(sent(entry, job, file), mayBeThere, () => Effect.void)
    return job
  })

  /** Waits for a memory whose file was sent. */
  const imported = Effect.fnUntraced(function*({ jobId }: Started) {
    const { skippedSegmentCount = 0, state, translationMemoryId } = yield* wait({ jobId })
    if (translationMemoryId === undefined) {
      return yield* new JobFailed({
        jobId,
        state,
        description: "The service does not say which translation memory it made"
      })
    }
    const memory: ImportedMemory = { translationMemoryId, skippedSegmentCount, jobId }
    return memory
  })

  /** Forgets what a failure leaves nothing of. What was just begun is also forgotten when the service took nothing. */
  const forgetting = <A, E, R>(id: string, isNew: boolean, effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, (error) =>
      Effect.gen(function*() {
        if (!isFailure(error)) return
        const entry = yield* journal.getJob(id)
        const hasJob = entry?._tag === "Import" ? entry.started !== undefined : entry?.jobId !== undefined
        const isOver = error._tag === "JobFailed" ||
          (error._tag === "TransferFailed" && !error.isTransient) ||
          (isNew && !hasJob && error.outcome !== "unknown")
        if (isOver) yield* journal.remove(id)
      }))

  const importing = <E, R>(id: string, isNew: boolean, effect: Effect.Effect<ImportedMemory, E, R>) =>
    Effect.tap(forgetting(id, isNew, effect), () => journal.remove(id))

  const claim = (id: string) => Effect.mapError(journal.claim(id), ({ holder }) => new JobBusy({ id, holder }))

  const importTmx = Effect.fnUntraced(function*(options: ImportOptions) {
    const { contentType = defaultContentType, displayName, fileName, source } = options
    const file = yield* JobFile.make(options.content, options.size)
    yield* checkImport(options, file.size)
    yield* checkTmx(file.content)
    const id = `import-${yield* Uploading.randomWord}`
    yield* claim(id)
    const entry: ImportEntry = {
      _tag: "Import",
      id,
      ...owner,
      startedAt: yield* DateTime.now,
      fileName,
      contentType,
      isSent: false,
      ...(displayName === undefined ? undefined : { displayName }),
      ...(source === undefined ? undefined : { source })
    }
    return yield* importing(id, true, Effect.flatMap(uploaded(entry, file), imported))
  }, Effect.scoped)

  /** The entry of an import or export, which is claimed. */
  const claimed = Effect.fnUntraced(function*(id: string) {
    yield* checkId("id", id)
    yield* claim(id)
    return yield* journal.getJob(id)
  })

  /** The entry that is to be gone on with. */
  const found = Effect.fnUntraced(function*<Tag extends DocumentJournal.JobEntry["_tag"]>(id: string, tag: Tag) {
    const entry = yield* claimed(id)
    if (entry === undefined) return yield* notResumable(id, "The journal does not know it")
    yield* DocumentJournal.checkOwn(owner, entry)
    if (entry._tag !== tag) return yield* notResumable(id, `It is an ${entry._tag.toLowerCase()}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its tag was just compared
    return entry as Extract<DocumentJournal.JobEntry, { readonly _tag: Tag }>
  })

  const resumeImport = Effect.fnUntraced(function*(
    { content, id, size }: {
      readonly id: string
      readonly content?: Content | undefined
      readonly size?: number | undefined
    }
  ) {
    const entry = yield* found(id, "Import")
    const { started: job, ...fresh } = entry
    const asked = job === undefined || entry.isSent ?
      undefined :
      yield* call("TranslationMemories.getJob", ask(job.jobId)).pipe(
        Effect.map((job) => job.state),
        Effect.catchTag("NotFound", () => Effect.succeed("expired"))
      )
    const now = yield* DateTime.now
    const isLate = job?.expiresAt !== undefined && DateTime.isLessThanOrEqualTo(job.expiresAt, now)
    // The service may be slow to say so.
    const state = asked === "awaiting_input" && isLate ? "expired" : asked
    // A file that the service has seen is not sent again.
    if (job !== undefined && (entry.isSent || (state !== "awaiting_input" && state !== "expired"))) {
      return yield* importing(id, false, imported(job))
    }
    if (content === undefined) {
      return yield* new NotResumable({ id, description: "Its file was not sent, or not noticed yet: give it again" })
    }
    const file = yield* JobFile.make(content, size)
    yield* checkImport(entry, file.size)
    if (state === "awaiting_input" && job !== undefined && job.contentLength !== file.size) {
      return yield* new NotResumable({
        id,
        description:
          `Its file had ${job.contentLength} bytes and has ${file.size} now: forget it and import the file anew`
      })
    }
    yield* checkTmx(file.content)
    return yield* importing(
      id,
      false,
      // One whose file did not come in time takes none any more.
      Effect.flatMap(uploaded(state === "expired" ? fresh : entry, file), imported)
    )
  }, Effect.scoped)

  /** Brings an export to the point where its file can be fetched. Its claim is held. */
  const finishExport = Effect.fnUntraced(function*(entry: ExportEntry) {
    const { id, translationMemoryId } = entry
    const begin = Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      yield* journal.put(entry)
      const { jobId } = yield* restore(startedExport({ translationMemoryId }))
      yield* journal.put({ ...entry, jobId })
      yield* report(() => JobProgress.Started({ jobId, id }))
      return jobId
    }))
    const jobId = entry.jobId ?? (yield* begin)
    const done = yield* wait({ jobId })
    if (done.downloadUrl === undefined) {
      return yield* new JobFailed({ jobId, state: done.state, description: "The service gives no address of its file" })
    }
    const operation = "TranslationMemories.exportTmx"
    const first = done.downloadUrl
    const now = yield* policy
    const fresh = Effect.fnUntraced(function*(number: number) {
      if (number === 1) return { url: first }
      const job = yield* call("TranslationMemories.getJob", ask(jobId))
      const url = job.downloadUrl ??
        (yield* ended(operation, jobId, job, "The service gives no address of its file any more"))
      return { url }
    })
    const stream = Stream.unwrap(Effect.map(Reporter, (reporter) =>
      storage.download({
        operation,
        jobId,
        policy: now,
        address: fresh,
        onBytes: (bytes, total) =>
          reporter?.(JobProgress.Received({ jobId, bytes, ...(total === undefined ? undefined : { total }) }))
      })))
    return {
      jobId,
      id,
      translationMemoryId,
      // Whoever writes the bytes to a target keeps the journal by itself.
      stream: entry.target === undefined ? Stream.concat(stream, Stream.fromEffectDrain(journal.remove(id))) : stream
    }
  })

  const exportTmx = Effect.fnUntraced(function*({ target, translationMemoryId }: ExportOptions) {
    yield* checkId("translationMemoryId", translationMemoryId)
    const id = `export-${yield* Uploading.randomWord}`
    yield* claim(id)
    const entry: ExportEntry = {
      _tag: "Export",
      id,
      ...owner,
      startedAt: yield* DateTime.now,
      translationMemoryId,
      ...(target === undefined ? undefined : { target })
    }
    return yield* forgetting(id, true, finishExport(entry))
  }, Effect.scoped)

  /** An export whose job is over is begun anew: it costs nothing. */
  const exportAgain = (entry: ExportEntry) => {
    const { jobId, ...fresh } = entry
    const isOver = (error: { readonly _tag: string }) =>
      jobId !== undefined && (error._tag === "JobFailed" || error._tag === "NotFound")
    return Effect.catchIf(finishExport(entry), isOver, () => finishExport(fresh))
  }

  const resumeExport = Effect.fnUntraced(function*(id: string) {
    const entry = yield* found(id, "Export")
    return yield* forgetting(id, false, exportAgain(entry))
  }, Effect.scoped)

  const forget = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return
    yield* DocumentJournal.checkOwn(owner, entry)
    yield* journal.remove(id)
  }, Effect.scoped)

  const adopt = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return yield* notResumable(id, "The journal does not know it")
    const own = { ...entry, account: owner.account }
    yield* DocumentJournal.checkOwn(owner, own)
    const jobId = entry._tag === "Import" ? entry.started?.jobId : entry.jobId
    // Only the service knows whether both keys are of one account.
    if (jobId !== undefined) yield* call("TranslationMemories.getJob", ask(jobId))
    yield* journal.put(own)
  }, Effect.scoped)

  return {
    client,
    journal,
    owner,
    ask,
    wait,
    started,
    startedExport,
    pending: Effect.map(
      journal.jobs,
      (jobs) => jobs.filter((job) => DocumentJournal.foreignTo(owner, job) === undefined)
    ),
    importTmx: (options: ImportOptions) => composed("TranslationMemories.importTmx", importTmx(options)),
    exportTmx: (options: ExportOptions) => composed("TranslationMemories.exportTmx", exportTmx(options)),
    resumeImport: (options: Parameters<typeof resumeImport>[0]) =>
      composed("TranslationMemories.resumeImport", resumeImport(options)),
    resumeExport: (id: string) => composed("TranslationMemories.resumeExport", resumeExport(id)),
    forget: (id: string) => composed("TranslationMemories.forget", forget(id)),
    adopt: (id: string) => composed("TranslationMemories.adopt", adopt(id))
  }
})
