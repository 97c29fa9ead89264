/**
 * A model of documents in the fake: they are added or uploaded, become ready with time, and are removed and billed by the
 * first download. Time is the `TestClock`, and the fake has the default `readyAfter`.
 *
 * **Example** (The fake agrees with the model)
 *
 * ```ts import.meta.vitest
 * import * as DocumentsModel from "@effect-lingua/testing/models/DocumentsModel"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as ModelBased from "@effect-lingua/testing/models/ModelBased"
 * import { Effect } from "effect"
 * import { TestClock } from "effect/testing"
 *
 * const { runs } = await ModelBased.check({
 *   layer: FakeLanguageService.layerServices({ quota: { characters: 100_000 } }),
 *   setup: DocumentsModel.setup,
 *   commands: DocumentsModel.commands,
 *   runs: 10
 * }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
 * runs // => 10
 * ```
 *
 * @since 0.1.0
 */
import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import { type DocumentRef, Documents } from "@effect-lingua/core/documents/Documents"
import { DocumentId, type DocumentStatus } from "@effect-lingua/core/documents/DocumentsApi"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { FakeLanguageService } from "../fake/FakeLanguageService.ts"
import * as Generators from "../generators/Generators.ts"
import * as ModelBased from "./ModelBased.ts"

/**
 * A document in the fake. `readyAt` is counted from the beginning of the sequence.
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelDocument extends DocumentRef {
  readonly content: ReadonlyArray<number>
  readonly readyAt: Duration.Duration
  readonly fails: boolean
  readonly characters: number
  readonly taken: boolean
}

/**
 * All documents, the time that has passed, and the characters that are left of the quota.
 *
 * @category models
 * @since 0.1.0
 */
export interface Model {
  readonly documents: ReadonlyArray<ModelDocument>
  readonly now: Duration.Duration
  readonly left: number
}

/**
 * Resets the fake and returns the model of it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const setup: Effect.Effect<Model, never, FakeLanguageService> = Effect.gen(function*() {
  const fake = yield* FakeLanguageService
  yield* fake.reset()
  const { characters, used } = yield* fake.quota()
  return { documents: [], now: Duration.zero, left: characters - used }
})

const stranger: DocumentRef = { documentId: DocumentId.make("0".repeat(32)), documentKey: Redacted.make("0") }

const define = ModelBased.command<Model>()

const bytesOf = (content: string | Uint8Array): ReadonlyArray<number> =>
  Array.from(typeof content === "string" ? new TextEncoder().encode(content) : content)

/**
 * Adds a document.
 *
 * @category commands
 * @since 0.1.0
 */
export const add: ModelBased.Command<Model, FakeLanguageService> = define({
  name: "add",
  input: Generators.document,
  resolve: (_model, document) => ({
    ...document,
    characters: document.characters ?? 10,
    readyAfter: Duration.fromInputUnsafe(document.readyAfter ?? 0)
  }),
  run: (args) => FakeLanguageService.use((fake) => fake.addDocument(args)),
  expect: (model, { characters, content, fails, readyAfter }) => ({
    succeeds: (actual) => actual,
    next: (actual) => ({
      ...model,
      documents: [...model.documents, {
        ...actual,
        content: bytesOf(content),
        readyAt: Duration.sum(model.now, readyAfter),
        fails: fails !== undefined,
        characters,
        taken: false
      }]
    })
  })
})

/** The duration of a translation in the fake. */
const uploadTime = Duration.seconds(3)

const UploadInput = Schema.Struct({
  text: Schema.String.check(Schema.isMinLength(1), Schema.isPattern(/^\P{Cs}*$/u)),
  sourceLanguage: Schema.Literals(["de", "en", "EN"])
})

/**
 * Uploads a document, which the fake returns unchanged. A translation into the language of the document is refused.
 *
 * @category commands
 * @since 0.1.0
 */
export const upload: ModelBased.Command<Model, Documents> = define({
  name: "upload",
  input: Arbitrary.schema(UploadInput),
  resolve: (_model, { sourceLanguage, text }) => ({
    content: new TextEncoder().encode(text),
    fileName: "document.html",
    sourceLanguage,
    targetLanguage: "en-US"
  }),
  run: (args) =>
    Effect.map(
      Documents.use((documents) => documents.upload(args)),
      ({ documentId, documentKey }): DocumentRef => ({ documentId, documentKey })
    ),
  expect: (model, { content, sourceLanguage }) => {
    const characters = Array.from(new TextDecoder().decode(content)).length
    if (sourceLanguage !== "de") return { fails: "BadRequest" }
    return characters > model.left ? { fails: "QuotaExceeded" } : {
      succeeds: (actual) => actual,
      next: (actual) => ({
        ...model,
        documents: [...model.documents, {
          ...actual,
          content: Array.from(content),
          readyAt: Duration.sum(model.now, uploadTime),
          fails: false,
          characters,
          taken: false
        }]
      })
    }
  }
})

/** The expected status, with any message of a failure. */
const says = (fields: Omit<DocumentStatus, "errorMessage">): ModelBased.Expectation<Model, DocumentStatus, never> => ({
  succeeds: ({ errorMessage }) =>
    fields.status === "error" && errorMessage !== undefined ? { ...fields, errorMessage } : fields
})

/**
 * Gets the status of a document.
 *
 * @category commands
 * @since 0.1.0
 */
export const status: ModelBased.Command<Model, Documents> = define({
  name: "status",
  weight: 2,
  input: ModelBased.reference,
  resolve: ({ documents }, document) => ModelBased.pick<DocumentRef>(documents, document, stranger),
  run: ({ documentId, documentKey }) => Documents.use((documents) => documents.status({ documentId, documentKey })),
  expect: (model, { documentId }) => {
    const document = model.documents.find((other) => other.documentId === documentId)
    if (document === undefined) return { fails: "DocumentNotFound" }
    if (document.taken) return { fails: "DocumentAlreadyDownloaded" }
    const left = Duration.toSeconds(Duration.subtract(document.readyAt, model.now))
    if (left > 0) {
      return [
        says({ documentId, status: "queued" }),
        says({ documentId, status: "translating", secondsRemaining: Math.ceil(left) })
      ]
    }
    return document.fails
      ? says({ documentId, status: "error" })
      : says({ documentId, status: "done", billedCharacters: document.characters })
  }
})

/**
 * Advances the clock.
 *
 * @category commands
 * @since 0.1.0
 */
export const wait: ModelBased.Command<Model, never> = define({
  name: "wait",
  isConcurrent: false,
  input: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1800 }))),
  resolve: (_model, seconds) => ({ time: Duration.seconds(seconds) }),
  run: ({ time }) => TestClock.adjust(time),
  expect: (model, { time }) => ({
    succeeds: (actual) => actual,
    next: () => ({ ...model, now: Duration.sum(model.now, time) })
  })
})

/** Downloads at once, without polling, and to the end. */
const take = (args: DocumentRef) =>
  Effect.gen(function*() {
    const { stream } = yield* Documents.use((documents) => documents.download(args))
    return (yield* Stream.runCollect(stream)).flatMap((chunk) => Array.from(chunk))
  }).pipe(Effect.provideService(ResiliencePolicy.Override, { polling: false }))

/**
 * Downloads a document with its key.
 *
 * @category commands
 * @since 0.1.0
 */
export const download: ModelBased.Command<Model, Documents> = define({
  name: "download",
  weight: 2,
  input: ModelBased.reference,
  resolve: ({ documents }, document) => ModelBased.pick<DocumentRef>(documents, document, stranger),
  run: ({ documentId, documentKey }) => take({ documentId, documentKey }),
  expect: (model, { documentId }) => {
    const document = model.documents.find((other) => other.documentId === documentId)
    if (document === undefined) return { fails: "DocumentNotFound" }
    if (document.taken) return { fails: "DocumentAlreadyDownloaded" }
    if (document.fails || Duration.isLessThan(model.now, document.readyAt)) return { fails: "DocumentNotReady" }
    return document.characters > model.left ? { fails: "QuotaExceeded" } : {
      succeeds: () => Array.from(document.content),
      next: () => ({
        ...model,
        left: model.left - document.characters,
        documents: model.documents.map((other) => other === document ? { ...other, taken: true } : other)
      })
    }
  }
})

/**
 * Tries to download a document with the key of another.
 *
 * @category commands
 * @since 0.1.0
 */
export const downloadWithWrongKey: ModelBased.Command<Model, Documents> = define({
  name: "downloadWithWrongKey",
  input: ModelBased.reference,
  resolve: ({ documents }, document) => ModelBased.pick<DocumentRef>(documents, document, stranger),
  run: ({ documentId }) => take({ documentId, documentKey: stranger.documentKey }),
  expect: () => ({ fails: "DocumentNotFound" })
})

/**
 * Gets the quota.
 *
 * @category commands
 * @since 0.1.0
 */
export const quota: ModelBased.Command<Model, FakeLanguageService> = define({
  name: "quota",
  input: Arbitrary.Constant({}),
  resolve: (_model, input) => input,
  run: () => FakeLanguageService.use((fake) => fake.quota()),
  expect: ({ left }) => ({ succeeds: (actual) => ({ ...actual, used: actual.characters - left }) })
})

/**
 * All commands.
 *
 * @category commands
 * @since 0.1.0
 */
export const commands: ReadonlyArray<ModelBased.Command<Model, Documents | FakeLanguageService>> = [
  add,
  upload,
  status,
  wait,
  download,
  downloadWithWrongKey,
  quota
]
