/** Document jobs: accepted once the file is on disk, translated in the background, and resumed after a restart. */
import { Documents, Progress } from "@effect-lingua/core"
import { NodeDocuments } from "@effect-lingua/node"
import { Context, Data, Effect, FileSystem, Layer, Path, Schedule, Schema, Stream, SubscriptionRef } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { randomUUID } from "node:crypto"
import { Clients, dataFolder, Region } from "./Clients.ts"
import { TenantName, Tenants } from "./Tenants.ts"

/** The stored request of a job. */
export const Job = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  fileName: Schema.String.check(Schema.isPattern(/^[\w-][\w .-]{0,99}\.\w+$/)),
  targetLanguage: Schema.String,
  region: Region,
  tenant: TenantName
})
export type Job = typeof Job.Type

const State = Schema.Struct({
  state: Schema.Literals(["accepted", "sending", "translating", "receiving", "done", "failed"]),
  detail: Schema.optionalKey(Schema.String)
})
type State = typeof State.Type

const stateOf = Progress.Progress.$match({
  Started: (): State => ({ state: "translating" }),
  Sent: (): State => ({ state: "sending" }),
  Waiting: ({ state }): State => ({ state: "translating", detail: state }),
  Completed: (): State => ({ state: "receiving" }),
  Received: (): State => ({ state: "receiving" }),
  Saved: (): State => ({ state: "receiving" })
})

const jobJson = Schema.fromJsonString(Job)
const stateJson = Schema.fromJsonString(State)

/** The tenant has no job with the id. */
export class NoSuchJob extends Data.TaggedError("NoSuchJob")<{ readonly id: string }> {}

const isLast = ({ state }: State): boolean => state === "done" || state === "failed"

/**
 * Errors after which a job is retried: a quota or budget may be renewed or raised, and repeating an upload whose response was lost is free, because
 * only a download is billed.
 */
const goesOn: ReadonlySet<string> = new Set(["BudgetExceeded", "QuotaExceeded", "OutcomeUnknown"])

/** Waits before a job is retried after the client's retries failed: the service is down, or the quota is used up. */
const again = Schedule.jittered(Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")]))

const make = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const clients = yield* Clients
  const tenants = yield* Tenants
  const scope = yield* Effect.scope
  const root = path.resolve(yield* dataFolder, "documents")
  const states = new Map<string, SubscriptionRef.SubscriptionRef<State>>()

  const fileOf = (id: string, name: string) => path.join(root, id, name)

  /** Writes to a temporary file and renames it, so that a file with the final name is complete. */
  const write = (file: string, content: Uint8Array) =>
    Effect.andThen(fs.writeFile(`${file}.part`, content), fs.rename(`${file}.part`, file))

  const writeJson = (file: string, json: string) => write(file, new TextEncoder().encode(json))

  /** The final state of a job, or undefined if the job has not ended. The file `result` exists once the translation is complete. */
  const lastStateOf = Effect.fnUntraced(
    function*(id: string): Effect.fn.Return<State | undefined, PlatformError | Schema.SchemaError> {
      if (yield* fs.exists(fileOf(id, "result"))) return { state: "done" }
      if (!(yield* fs.exists(fileOf(id, "failed.json")))) return undefined
      return yield* Schema.decodeEffect(stateJson)(yield* fs.readFileString(fileOf(id, "failed.json")))
    }
  )

  /** Translates the file of a job. The job id is the upload id, so that an uploaded document is resumed, even after a restart. */
  const translate = Effect.fnUntraced(function*({ fileName, id, targetLanguage }: Job) {
    const { translate } = yield* NodeDocuments
    const [source, target] = [fileOf(id, "source"), fileOf(id, "result")]
    return yield* translate({ source, fileName, targetLanguage, target, overwrite: true, uploadId: id })
  })

  /** Forgets a document that the service has deleted before its download was complete, so that the retry translates, and pays, again. */
  const forgetLost = Effect.fnUntraced(function*(id: string) {
    const documents = yield* Documents
    const entry = (yield* documents.pending).find(({ uploadId }) => uploadId === id)
    if (entry?._tag !== "Lost") return false
    yield* documents.forget({ entryId: entry.documentId })
    return true
  })

  const run = Effect.fnUntraced(function*(job: Job, state: SubscriptionRef.SubscriptionRef<State>) {
    const last = yield* translate(job).pipe(
      Effect.provideService(Progress.Reporter, (event) => Effect.runSync(SubscriptionRef.set(state, stateOf(event)))),
      Effect.tapError((error) => Effect.logWarning(error)),
      Effect.retry({
        schedule: again,
        while: (error) => error.isTransient || goesOn.has(error._tag) ? Effect.succeed(true) : forgetLost(job.id)
      }),
      Effect.provide(clients.get(job.region)),
      tenants.within(job.tenant),
      Effect.match({
        onSuccess: (): State => ({ state: "done" }),
        onFailure: ({ _tag }): State => ({ state: "failed", detail: _tag })
      })
    )
    if (last.state === "failed") {
      yield* writeJson(fileOf(job.id, "failed.json"), yield* Schema.encodeEffect(stateJson)(last))
    }
    yield* SubscriptionRef.set(state, last)
    states.delete(job.id)
  })

  const read = (id: string) => Effect.flatMap(fs.readFileString(fileOf(id, "job.json")), Schema.decodeEffect(jobJson))

  const checkOwner = Effect.fnUntraced(function*(id: string, tenant: string) {
    const isThere = yield* fs.exists(fileOf(id, "job.json"))
    if (!isThere || (yield* read(id)).tenant !== tenant) return yield* new NoSuchJob({ id })
  })

  const start = Effect.fnUntraced(function*(job: Job) {
    const state = yield* SubscriptionRef.make<State>({ state: "accepted" })
    states.set(job.id, state)
    yield* Effect.forkIn(run(job, state).pipe(Effect.annotateLogs({ job: job.id })), scope)
  })

  // Resumes the jobs of an earlier process.
  yield* fs.makeDirectory(root, { recursive: true })
  for (const id of yield* fs.readDirectory(root)) {
    const isAccepted = yield* fs.exists(fileOf(id, "job.json"))
    if (!isAccepted || (yield* lastStateOf(id)) !== undefined) continue
    yield* start(yield* read(id))
  }

  return {
    /** Accepts a document. After the effect succeeds, a restart does not lose the document. */
    accept: Effect.fnUntraced(function*(request: Omit<Job, "id">, content: Uint8Array) {
      const job: Job = { ...request, id: randomUUID() }
      yield* fs.makeDirectory(path.join(root, job.id))
      yield* write(fileOf(job.id, "source"), content)
      yield* writeJson(fileOf(job.id, "job.json"), yield* Schema.encodeEffect(jobJson)(job))
      yield* start(job)
      return job.id
    }),
    /** Streams the states of a tenant's job, from the current state to the final state. */
    watch: Effect.fnUntraced(function*(id: string, tenant: string) {
      yield* checkOwner(id, tenant)
      const state = states.get(id)
      if (state !== undefined) return Stream.takeUntil(SubscriptionRef.changes(state), isLast)
      return Stream.make((yield* lastStateOf(id)) ?? (yield* new NoSuchJob({ id })))
    }),
    /** The path of the translation. Fails for the job of another tenant. */
    result: Effect.fnUntraced(function*(id: string, tenant: string) {
      yield* checkOwner(id, tenant)
      if (!(yield* fs.exists(fileOf(id, "result")))) return yield* new NoSuchJob({ id })
      return fileOf(id, "result")
    })
  }
})

export class DocumentJobs
  extends Context.Service<DocumentJobs, Effect.Success<typeof make>>()("@effect-lingua/example-backend/DocumentJobs")
{}

export const layer = Layer.effect(DocumentJobs, make)
