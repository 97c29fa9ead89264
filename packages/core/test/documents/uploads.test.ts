import { type Attempt, Documents, Ids, LanguageService, Problem, Upload } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Data, Duration, Effect, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { errorOverTime, overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const bytes = new TextEncoder().encode("Grüße\r\n--form-\r\n")
const chunks = Stream.make(bytes.subarray(0, 4), bytes.subarray(4))
const pieces = async function*() {
  yield bytes.subarray(0, 4)
  yield bytes.subarray(4)
}
const { success } = Sample.operation("Documents.upload")

const upload = (given: Partial<Documents.UploadOptions> = {}) =>
  Documents.use((documents) => documents.upload({ ...Sample.upload, ...given }))

/** What the platform reads out of what was sent. */
const parsed = ({ body, headers }: Pick<Wire.Sent, "body" | "headers">) =>
  Effect.promise(async () => {
    const form = await new Response(body, { headers: { "content-type": headers["content-type"] ?? "" } }).formData()
    return Promise.all(Array.from(form, async ([name, value]) =>
      typeof value === "string" ? [name, value] : [name, value.name, await value.text()]))
  })

const all = {
  targetLanguage: "en-US",
  sourceLanguage: "de",
  outputFormat: "docx",
  formality: "prefer_more",
  glossaryIds: [Ids.GlossaryId.make("g1"), Ids.GlossaryId.make("g2")],
  styleId: Sample.styleId,
  translationMemoryId: Ids.TranslationMemoryId.make("m1"),
  translationMemoryThreshold: 80
} satisfies Partial<Documents.UploadOptions>

const fields = [
  ["target_lang", "en-US"],
  ["source_lang", "de"],
  ["formality", "prefer_more"],
  ["glossary_ids", "g1,g2"],
  ["style_id", Sample.styleId],
  ["translation_memory_id", "m1"],
  ["translation_memory_threshold", "80"],
  ["output_format", "docx"]
]

class Unreadable extends Data.TaggedError("Unreadable")<{ readonly path: string }> {}

/** The requests as the client made them. */
const captured = Effect.fnUntraced(function*(given: Partial<Documents.UploadOptions>) {
  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  yield* upload(given).pipe(
    Effect.provide(Wire.layer([(request, sent) => {
      requests.push(request)
      return success(request, sent)
    }]))
  )
  return requests
})

/** The facts of a ledger that the outcome of its error follows from. */
const outcomes = ({ attempts }: { readonly attempts: ReadonlyArray<Attempt.Attempt> }) =>
  attempts.map(({ failure, outcome, status, stopCause }) => [status, failure, outcome, stopCause])

describe("uploads", () => {
  it.effect.each<readonly [what: string, content: Documents.UploadOptions["content"]]>([
    ["a stream", chunks],
    ["bytes", bytes],
    ["a Blob", new Blob([bytes])]
  ])(
    "of %s are forms that the platform reads, with a field for each option",
    ([what, content]) =>
      Effect.gen(function*() {
        yield* upload({ ...all, content })
        const [sent] = yield* Wire.sent
        assert.isDefined(sent)
        assert.deepStrictEqual(yield* parsed(sent), [...fields, [
          "file",
          "letter.txt",
          new TextDecoder().decode(bytes)
        ]])
        assert.match(sent.headers["content-type"] ?? "", /^multipart\/form-data; boundary=form-[0-9a-f]+$/)
        const length = what === "a stream" ? undefined : String(new TextEncoder().encode(sent.body).length)
        assert.strictEqual(sent.headers["content-length"], length)
      }).pipe(Effect.provide(Wire.layer([success])))
  )

  it.effect("ask for a watermark only if it is wanted", () =>
    Effect.gen(function*() {
      for (const enableWatermark of [true, false, undefined]) yield* upload({ content: bytes, enableWatermark })
      const marks: Array<unknown> = []
      for (const sent of yield* Wire.sent) {
        marks.push((yield* parsed(sent)).filter(([name]) => name === "enable_watermark"))
      }
      assert.deepStrictEqual(marks, [[["enable_watermark", "true"]], [], []])
    }).pipe(Effect.provide(Wire.layer([success, success, success]))))

  it.effect("leave out what is undefined", () =>
    Effect.gen(function*() {
      yield* upload({ sourceLanguage: undefined, glossaryIds: undefined, content: chunks })
      const [sent] = yield* Wire.sent
      assert.isDefined(sent)
      assert.deepStrictEqual((yield* parsed(sent)).map(([name]) => name), ["target_lang", "file"])
    }).pipe(Effect.provide(Wire.layer([success]))))

  it.effect.each(["Grüße an alle.txt", "a\"b\".txt", "%22.txt", "猫🐈.txt", "a; name=\"x\".txt"])(
    "take the file name %j to the other end",
    (fileName) =>
      Effect.gen(function*() {
        yield* upload({ fileName, content: chunks })
        const [sent] = yield* Wire.sent
        assert.isDefined(sent)
        const file = (yield* parsed(sent)).find(([name]) => name === "file")
        // Parsers of HTML forms leave %22 as it is or undo it.
        assert.strictEqual(file?.[1]?.replaceAll("%22", "\""), fileName.replaceAll("%22", "\""))
      }).pipe(Effect.provide(Wire.layer([success])))
  )

  it.effect("know the length of what they send only when the size of the file is known", () =>
    Effect.gen(function*() {
      for (const [size, known] of [[undefined, false], [bytes.length, true]] as const) {
        const [request] = yield* captured({ ...all, content: chunks, size })
        if (request?.body._tag !== "Stream") return assert.fail(request?.body._tag)
        const sent = yield* Stream.runFold(
          Stream.orDie(request.body.stream),
          () => 0,
          (sum, chunk) => sum + chunk.length
        )
        assert.strictEqual(request.body.contentLength, known ? sent : undefined)
        assert.strictEqual(request.headers["content-length"], known ? String(sent) : undefined)
      }
    }))

  it.effect("have another boundary each time", () =>
    Effect.gen(function*() {
      const types = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(captured({ content: chunks }), ([one]) => one?.headers["content-type"]))
      assert.strictEqual(new Set(types).size, 3)
    }))

  it.effect.each(["a\r\nb.txt", "a\nb.txt", "a\u0000.txt", "../a.txt", "a\\b.txt", " ", "", "a\ud800.txt"])(
    "refuse the file name %j before anything is sent",
    (fileName) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(upload({ fileName, content: chunks }))
        assert.deepInclude<object>(error, {
          _tag: "InvalidInput",
          operation: "Documents.upload",
          parameter: "fileName",
          outcome: "refused",
          attempts: []
        })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("have the policy's time for a document in each attempt, not that of other calls", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(upload()))
      assert.strictEqual(took, 90_000)
      assert.strictEqual((yield* exit)._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(Wire.layer(Wire.silent, {
      resilience: {
        attempts: 1,
        attemptTimeout: Duration.seconds(5),
        deadline: Duration.seconds(10),
        documentTimeout: Duration.seconds(90)
      }
    }))))

  it.effect("have the policy's time for a document in all, not that of other calls", () =>
    Effect.gen(function*() {
      const { took } = yield* overTime(Effect.flip(upload()))
      assert.isAtMost(took, 120_000)
      assert.isAbove(took, 60_000)
      assert.isAbove(yield* Wire.count, 5)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(429, "", { "retry-after": "10" }), {
      resilience: { attempts: 100, deadline: Duration.seconds(10), jobDeadline: Duration.minutes(2) }
    }))))

  it.effect("of a stream may take their time, as long as they go on", () =>
    Effect.gen(function*() {
      const slow = Stream.tap(
        Stream.make(...Array.from({ length: 10 }, () => bytes)),
        () => Effect.sleep("110 seconds")
      )
      const { exit, took } = yield* overTime(upload({ content: slow }))
      yield* exit
      assert.strictEqual(took, 1_100_000)
    }).pipe(Effect.provide(Wire.layer([success]))))

  it.effect("of a stream that stops have the policy's time from its last bytes", () =>
    Effect.gen(function*() {
      const stopping = Stream.concat(
        Stream.tap(Stream.make(bytes, bytes), () => Effect.sleep("1 minute")),
        Stream.never
      )
      const { exit, took } = yield* overTime(Effect.flip(upload({ content: stopping })))
      assert.deepInclude<object>(yield* exit, { _tag: "OutcomeUnknown", cause: "AttemptTimeout" })
      assert.strictEqual(took, 240_000)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("of a stream without a byte fail, as a file is not empty", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(upload({ content: Stream.empty }))
      assert.strictEqual(error._tag, "SourceFailed")
      assert.include(String(error.cause), "0 bytes, but a file must not be empty")
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("of a stream are run anew for each attempt", () =>
    Effect.gen(function*() {
      yield* valueOverTime(upload({ content: chunks }))
      const sent = yield* Wire.sent
      assert.strictEqual(sent.length, 3)
      assert.strictEqual(new Set(sent.map(({ body }) => body)).size, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(429), Wire.answer(529), success]))))

  it.effect("fail with the cause of a stream that fails, and are not repeated", () =>
    Effect.gen(function*() {
      const cause = new Unreadable({ path: "letter.txt" })
      const error = yield* errorOverTime(upload({ content: Stream.concat(chunks, Stream.fail(cause)) }))
      assert.strictEqual(error._tag, "SourceFailed")
      assert.strictEqual(error.cause, cause)
      assert.deepInclude<object>(error, { operation: "Documents.upload", outcome: "refused", isTransient: false })
      assert.deepStrictEqual(outcomes(error), [[undefined, "SourceFailed", "refused", undefined]])
      assert.include(error.message, "could not be read to its end")
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each<readonly [size: number, words: string]>([
    [bytes.length - 1, "more than its declared"],
    [bytes.length + 1, `${bytes.length} bytes, but its declared size is ${bytes.length + 1}`]
  ])(
    "fail when a stream is not of its size (%i), as nothing of them is taken",
    ([size, words]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(upload({ content: chunks, size }))
        assert.deepInclude<object>(error, { _tag: "SourceFailed", outcome: "refused" })
        assert.include(String(error.cause), words)
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([success])))
  )

  it.effect("of a stream that cannot run again fail with the error of the attempt before", () =>
    Effect.gen(function*() {
      const content = Stream.fromAsyncIterable(pieces(), String)
      const error = yield* errorOverTime(upload({ content }))
      assert.deepInclude<object>(error, { _tag: "ServiceUnavailable", status: 503, outcome: "refused" })
      assert.strictEqual(Problem.again(error), "safe")
      assert.deepStrictEqual(outcomes(error), [
        [503, "ServiceUnavailable", "refused", undefined],
        [undefined, "SourceFailed", "refused", undefined]
      ])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), success]))))

  it.effect("of a ReadableStream are read once, and the error says so", () =>
    Effect.gen(function*() {
      yield* upload({ content: Stream.toReadableStream(chunks), size: bytes.length })
      for (const source of [{ content: Stream.toReadableStream(chunks) }, Upload.once(chunks)]) {
        const error = yield* errorOverTime(upload(source))
        assert.deepInclude<object>(error, { _tag: "ServiceUnavailable", status: 503, outcome: "refused" })
        assert.deepStrictEqual(outcomes(error), [[503, "ServiceUnavailable", "refused", "source-read"]])
        assert.include(error.message, "Not tried again (source-read)")
        const again = yield* errorOverTime(upload(source))
        assert.deepInclude<object>(again, { _tag: "SourceFailed" })
      }
      const [sent] = yield* Wire.sent
      assert.isDefined(sent)
      assert.deepStrictEqual((yield* parsed(sent)).at(-1), ["file", "letter.txt", new TextDecoder().decode(bytes)])
    }).pipe(Effect.provide(Wire.layer([success, Wire.answer(503), Wire.answer(503)]))))

  it.effect("of a ReadableStream that no attempt has read are sent again", () => {
    let requests = 0
    const client = HttpClient.make((request) =>
      ++requests === 1
        ? Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({
              request,
              cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
            })
          })
        )
        : Effect.as(
          request.body._tag === "Stream" ? Stream.runDrain(Stream.orDie(request.body.stream)) : Effect.void,
          HttpClientResponse.fromWeb(request, Response.json({ document_id: "d", document_key: "document-key" }))
        )
    )
    return Effect.gen(function*() {
      yield* valueOverTime(upload({ content: Stream.toReadableStream(chunks) }))
      assert.strictEqual(requests, 2)
    }).pipe(
      Effect.provide(LanguageService.layer({ key: Redacted.make(Wire.key), baseUrl: Wire.baseUrl })),
      Effect.provideService(HttpClient.HttpClient, client)
    )
  })

  it.effect("of a ReadableStream that something else reads fail", () =>
    Effect.gen(function*() {
      const content = Stream.toReadableStream(chunks)
      content.getReader()
      const error = yield* errorOverTime(upload({ content }))
      assert(error._tag === "SourceFailed")
      assert.include(String(error.cause), "already read")
    }).pipe(Effect.provide(Wire.layer([success]))))

  it.effect("say what the service said when a stream that failed once comes to its end later", () =>
    Effect.gen(function*() {
      let runs = 0
      const content = Stream.suspend(() => {
        runs++
        return runs === 1 ? Stream.concat(chunks, Stream.fail(new Unreadable({ path: "a" }))) : chunks
      })
      // The first answer comes before the body was read to its end.
      let asked = 0
      const client = HttpClient.make((request) => {
        const body = request.body._tag === "Stream" ? Stream.mapError(request.body.stream, String) : Stream.empty
        return Effect.map(
          Effect.ignore(Stream.runDrain(body)),
          () => HttpClientResponse.fromWeb(request, new Response(null, { status: ++asked === 1 ? 429 : 400 }))
        )
      })
      const error = yield* upload({ content }).pipe(
        Effect.provide(LanguageService.layer({ key: Redacted.make(Wire.key), baseUrl: Wire.baseUrl })),
        Effect.provideService(HttpClient.HttpClient, client),
        errorOverTime
      )
      assert.strictEqual(error._tag, "BadRequest")
      assert.strictEqual(runs, 2)
    }))

  it.effect("keep the key of a document redacted", () =>
    Effect.gen(function*() {
      const issued = yield* upload()
      assert.isTrue(Redacted.isRedacted(issued.documentKey))
      assert.notInclude(JSON.stringify(issued), Sample.documentKey)
      assert.strictEqual(Redacted.value(issued.documentKey), Sample.documentKey)
    }).pipe(Effect.provide(Wire.layer([success]))))
})

describe("document status", () => {
  it.effect.each<readonly [answer: object, status: object]>([
    [{ status: "queued" }, { status: "queued" }],
    [{ status: "translating", seconds_remaining: 134217728 }, { status: "translating", secondsRemaining: 134217728 }],
    [{ status: "done", billed_characters: 9, seconds_remaining: 0 }, {
      status: "done",
      billedCharacters: 9,
      secondsRemaining: 0
    }],
    [{ status: "error", error_message: "a", message: "b" }, { status: "error", errorMessage: "a" }],
    [{ status: "error", message: "b" }, { status: "error", errorMessage: "b" }],
    [{ status: "error", error_message: null }, { status: "error" }],
    [{ status: "error" }, { status: "error" }],
    [{ status: "of tomorrow", more: 1 }, { status: "of tomorrow" }]
  ])("reads %j", ([answer, status]) =>
    Effect.gen(function*() {
      const given = yield* Documents.use((documents) => documents.status(Sample.document))
      assert.deepStrictEqual<object>(given, { documentId: Sample.documentId, ...status })
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { document_id: Sample.documentId, ...answer })]))))

  it.effect("has the time of other calls", () =>
    Effect.gen(function*() {
      const { took } = yield* overTime(Effect.flip(Sample.operation("Documents.status").call))
      assert.strictEqual(took, 5_000)
    }).pipe(
      Effect.provide(Wire.layer(Wire.silent, { resilience: { attempts: 1, attemptTimeout: Duration.seconds(5) } }))
    ))
})
