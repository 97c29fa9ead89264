/** Downloads a document into a {@link Saving}, such as a folder. The journal records each step before the next step starts. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { isTagged } from "effect/Predicate"
import { runs } from "../../call/internal/operation.ts"
import { defined } from "../../contract/internal/values.ts"
import { DownloadInterrupted } from "../../errors/CallError.ts"
import { checkId } from "../../errors/internal/checks.ts"
import { messageFirst } from "../../errors/internal/failure.ts"
import type { DocumentAlreadyDownloaded, DocumentNotFound } from "../../errors/ServiceError.ts"
import type { Entry, Part, Target } from "../Journal.ts"
import { about, type DocumentCalls, type Download, type Errors } from "./documentCalls.ts"
import { type DocumentRef, type Known, type ReceivedBytes, restartOf, total } from "./states.ts"

type DownloadError = Errors["download"]

/**
 * A {@link Saving} could not write or publish a document. `parts` have the received bytes; if `complete`, a later call publishes the document.
 * `available` is true if the service still has the document.
 *
 * @category errors
 * @since 0.3.0
 */
export class NotSaved extends messageFirst(Data.TaggedError("NotSaved"))<{
  readonly description: string
  readonly parts: ReadonlyArray<Part>
  readonly complete: boolean
  readonly available?: boolean | undefined
  readonly path?: string | undefined
}> {
  override get message(): string {
    return this.description
  }
}

/**
 * The result of a {@link Saving}'s step: the saved document, or the current location of all bytes.
 *
 * @category models
 * @since 0.3.0
 */
export type Step<A> = { readonly saved: A } | ReceivedBytes

/**
 * A destination for documents, such as a folder or a bucket. A failure to write or publish is a {@link NotSaved}.
 *
 * **Details**
 *
 * - `find` returns a document that an earlier program saved; the journal then removes the entry.
 * - `check` runs before any request, and fails if the target cannot be written.
 * - `prepare` chooses the files, which the journal records before `receive` opens them. `receive` runs `download` once and returns the first step.
 * - `left` returns the files that an interrupted or killed `receive` left.
 * - `publish` returns the next step for recorded bytes, or `undefined` if the bytes are gone or changed.
 *
 * These effects are interruptible; the returned steps are not.
 *
 * @category options
 * @since 0.3.0
 */
export interface Saving<A, E> {
  /** The document's journal entry, if the caller has read it. */
  readonly entry?: Entry | undefined
  /** Recorded in the journal for a later program. */
  readonly target?: Target | undefined
  readonly find?: Effect.Effect<A | undefined, E> | undefined
  readonly check?: Effect.Effect<void, E> | undefined
  readonly prepare: Effect.Effect<{
    readonly files?: { readonly temporary: string; readonly rescue?: string }
    readonly receive: (download: Effect.Effect<Download, DownloadError>) => Effect.Effect<Effect.Effect<Step<A>, E>, E>
  }, E>
  readonly left: (entry: Entry) => Effect.Effect<ReadonlyArray<Part>, E>
  readonly publish: (received: ReceivedBytes) => Effect.Effect<Effect.Effect<Step<A>, E> | undefined, E>
}

/** True if the service no longer has the document. */
export const isGone = <E>(error: E): error is E & (DocumentNotFound | DocumentAlreadyDownloaded) =>
  isTagged(error, "DocumentNotFound") || isTagged(error, "DocumentAlreadyDownloaded")

/** The error for a document that the service deleted before all bytes were received. */
export const lost = (
  documentId: DocumentRef["documentId"],
  reason: string,
  parts: ReadonlyArray<Part>,
  bytesExpected?: number,
  bytesReceived = total(parts)
): DownloadInterrupted => {
  const [first, ...others] = parts
  const rest = others.length === 0 ? "" : `. The rest is in ${others.map(({ path }) => path).join(", ")}`
  return new DownloadInterrupted({
    documentId,
    description: `${reason}${rest}`,
    bytesReceived,
    available: false,
    ...defined({ path: first?.path, bytesExpected })
  })
}

export const make = Effect.fnUntraced(function*({ download, isAvailable, records, status }: DocumentCalls) {
  const { composed } = yield* runs

  const open = Effect.fnUntraced(function*<A, E>(ref: DocumentRef, saving: Saving<A, E>) {
    const { documentId } = ref
    yield* checkId("documentId", documentId)
    const record = yield* records.of(ref, status(ref), saving.entry)
    const { before, latest, note } = record

    const noteStopped = (available: boolean | undefined, reason: string, parts: ReadonlyArray<Part>) =>
      note({ _tag: "Stopped", available, reason, bytesReceived: total(parts), parts })

    const left = (entry: Known | undefined) => entry === undefined ? Effect.succeed([]) : saving.left(entry)

    /** The parts that earlier programs received; `whole` is present if no bytes are missing. */
    const leftOf = Effect.fnUntraced(function*(
      entry: Known | undefined
    ): Effect.fn.Return<{ readonly whole?: ReceivedBytes; readonly parts: ReadonlyArray<Part> }, E> {
      if (entry === undefined || entry._tag === "Uploaded") return { parts: [] }
      const { completeness, target } = entry
      if (entry._tag === "Received") {
        const { obsolete, parts } = entry
        return { whole: { parts, ...defined({ obsolete, target, completeness }) }, parts }
      }
      const files = yield* left(entry)
      const parts = files.filter(({ bytes }) => bytes > 0)
      const [first, ...others] = parts.length === 0 ? files : parts
      return total(files) === entry.bytesExpected && first !== undefined
        ? { whole: { parts: [first, ...others], ...defined({ target, completeness }) }, parts }
        : { parts }
    })

    /** The step that publishes an earlier program's complete download. Fails if that download is incomplete. */
    const recovered = Effect.fnUntraced(function*(entry: Known | undefined) {
      const { parts, whole } = yield* leftOf(entry)
      if (whole !== undefined) return Effect.succeed(whole)
      if (entry?._tag === "Lost") {
        return yield* lost(documentId, entry.reason, entry.parts, entry.bytesExpected, entry.bytesReceived)
      }
      if (entry?._tag !== "Downloading") return undefined
      const reason = "An earlier download consumed the document and did not complete"
      yield* noteStopped(false, reason, parts)
      return yield* lost(documentId, reason, parts, entry.bytesExpected)
    })

    const recoverGone = Effect.fnUntraced(function*<F extends DocumentNotFound | DocumentAlreadyDownloaded>(error: F) {
      // If `before` has no temporary file, another program may have changed the entry.
      const entry = before?._tag === "Downloading" && before.temporary !== undefined ? before : yield* record.current
      const next = yield* recovered(entry)
      if (next !== undefined) return next
      yield* before === undefined ? note({ _tag: "Closed" }) : noteStopped(false, error.description, [])
      return yield* Effect.fail(error)
    })

    let isRequested = false
    const downloading = Effect.suspend(() => {
      isRequested = true
      const files = Effect.orElseSucceed(Effect.suspend(() => left(latest())), () => [])
      return download(ref, { record, parts: Effect.map(files, (all) => all.filter(({ bytes }) => bytes > 0)) })
    })

    const receiveDocument = Effect.gen(function*() {
      yield* saving.check ?? Effect.void
      if (saving.target !== undefined) yield* note({ _tag: "Targeted", target: saving.target })
      return yield* saving.prepare.pipe(
        Effect.tap(({ files }) => files === undefined ? Effect.void : note({ _tag: "Requested", ...files })),
        Effect.flatMap(({ receive }) => receive(downloading)),
        Effect.tapError((error) =>
          isTagged(error, "DocumentFailed")
            ? note({ _tag: "Closed" })
            : isRequested
            ? Effect.void
            : note({ _tag: "Refused" })
        ),
        Effect.catchIf(isGone, recoverGone)
      )
    })

    const findSaved = Effect.map(
      saving.find ?? Effect.undefined,
      (saved) => saved === undefined ? undefined : Effect.succeed({ saved })
    )

    const begin = Effect.gen(function*() {
      const step = yield* findSaved
      if (step !== undefined) return step
      const restart = before === undefined ? "download" : restartOf(before)
      // Requests the status again, because the recorded deletion may be a mistake or concern another account.
      const isOver = restart === "publish" || (restart === "ask" && (yield* isAvailable(ref)) !== true)
      return (isOver ? yield* recovered(before) : undefined) ?? (yield* receiveDocument)
    })

    /** Records the received bytes of a document that could not be saved. */
    const notSaved = Effect.fnUntraced(function*({ complete, description, parts, path }: NotSaved) {
      const [first, ...others] = parts
      const available = complete ? undefined : yield* isAvailable(ref)
      if (!complete) yield* noteStopped(available, description, parts)
      else if (first !== undefined) yield* note({ _tag: "Received", parts: [first, ...others] })
      return yield* new NotSaved({ complete, description, parts, path, available })
    })

    const recordingFailure = <B, F>(effect: Effect.Effect<B, F>) =>
      Effect.catch(
        effect,
        (error): Effect.Effect<never, F | NotSaved> => error instanceof NotSaved ? notSaved(error) : Effect.fail(error)
      )

    const run = Effect.fnUntraced(function*(
      first: Effect.Effect<Step<A>, E>,
      restore: <B, F>(effect: Effect.Effect<B, F>) => Effect.Effect<B, F>
    ) {
      for (let next = first;;) {
        const step = yield* recordingFailure(next)
        if ("saved" in step) {
          yield* note({ _tag: "Closed" })
          return step.saved
        }
        yield* note({ _tag: "Received", ...step })
        const published = yield* restore(recordingFailure(saving.publish(step)))
        if (published === undefined) {
          const reason = "The files with the bytes of the document are missing or changed"
          // Keeps the paths of the missing parts, because their disk may become available again.
          yield* noteStopped(false, reason, step.parts)
          return yield* lost(documentId, reason, yield* left(latest()), total(step.parts))
        }
        next = published
      }
    })

    return {
      save: Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(recordingFailure(begin)), (first) => run(first, restore))
      ),
      recover: Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        const saved = yield* restore(findSaved)
        if (saved !== undefined) return yield* run(saved, restore)
        const { whole } = yield* restore(Effect.flatMap(record.current, leftOf))
        return whole === undefined ? undefined : yield* run(Effect.succeed(whole), restore)
      }))
    }
  })

  return {
    saveTo: <A, E>(ref: DocumentRef, saving: Saving<A, E>) =>
      composed("Documents.saveTo", about(ref)(Effect.flatMap(open(ref, saving), ({ save }) => save))),
    recover: <A, E>(ref: DocumentRef, saving: Saving<A, E>) =>
      composed("Documents.recover", about(ref)(Effect.flatMap(open(ref, saving), ({ recover }) => recover)))
  }
})
