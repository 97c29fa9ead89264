import { Documents, NotSaved } from "@effect-lingua/core/documents/Documents"
import { Journal } from "@effect-lingua/core/documents/Journal"
import type { ErrorOf, InvalidInput } from "@effect-lingua/core/errors/CallError"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream, Struct } from "effect"
import { TestClock } from "effect/testing"
import { entries, layer, put, questions, states, uploaded } from "../support/documents.ts"
import { errorOverTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const encoder = new TextEncoder()
const chunks = ["Guten", " ", "Tag"]
const content = chunks.join("")

/** What the response to a download says about its end. */
const framings = {
  "a length": { "content-length": `${content.length}` },
  "chunks": { "transfer-encoding": "chunked" },
  "neither": {}
}

/** The moments at which a program is killed, and the bytes that its place has then. */
const moments = {
  "before the request": "",
  "after the headers": "",
  "between two bytes": "Guten",
  "after the last byte": content,
  "before it is published": content,
  "before it is forgotten": content
}
type Moment = keyof typeof moments

const at = (moment: Moment, killedAt: Moment | undefined) => moment === killedAt ? Effect.never : Effect.void

/** A place in memory, which stops for ever at a moment. */
const makePlace = () => {
  let part: string | undefined
  let saved: string | undefined
  return {
    saved: () => saved,
    place: (
      killedAt?: Moment
    ): Documents.Saving<string, ErrorOf<typeof Documents, "download"> | InvalidInput | NotSaved> => {
      const last = Effect.gen(function*() {
        yield* at("before it is published", killedAt)
        saved = part
        part = undefined
        yield* at("before it is forgotten", killedAt)
        return { saved: saved ?? "" }
      })
      return {
        find: Effect.sync(() => saved),
        prepare: Effect.succeed({
          receive: Effect.fnUntraced(
            function*(download: Effect.Effect<Documents.Download, ErrorOf<typeof Documents, "download">>) {
              part ??= ""
              yield* at("before the request", killedAt)
              const { stream } = yield* download
              yield* at("after the headers", killedAt)
              part = ""
              yield* Stream.runForEach(Stream.decodeText(stream), (text) =>
                Effect.suspend(() => {
                  part += text
                  return at("between two bytes", killedAt)
                }))
              yield* at("after the last byte", killedAt)
              return Effect.succeed({ parts: [{ path: "part", bytes: part.length }] as const })
            }
          )
        }),
        left: () => Effect.sync(() => part === undefined ? [] : [{ path: "part", bytes: part.length }]),
        publish: ({ parts: [{ bytes }] }) => Effect.sync(() => part?.length === bytes ? last : undefined)
      }
    }
  }
}

const saveTo = (place: Documents.Saving<string, ErrorOf<typeof Documents, "download"> | InvalidInput | NotSaved>) =>
  Documents.use((documents) => documents.saveTo(Sample.document, place))

/** A service that deletes the document with its first download. */
const service = (headers: Wire.Headers) =>
  layer({
    result: [
      Wire.streamed(200, Stream.fromIterable(chunks.map((chunk) => encoder.encode(chunk))), headers),
      Wire.answer(404)
    ],
    status: [Wire.answer(404)]
  })

const cases = Struct.keys(framings).flatMap((framing) => Struct.keys(moments).map((moment) => ({ framing, moment })))

describe("a document that is saved", () => {
  it.effect.each(cases)(
    "survives a kill $moment of a response with $framing",
    ({ framing, moment }) =>
      Effect.gen(function*() {
        yield* put(uploaded)
        const { place, saved } = makePlace()
        yield* Effect.forkDetach(saveTo(place(moment)))
        yield* TestClock.adjust("1 second")
        const kept = moments[moment]
        if (kept === content || moment === "before the request") {
          assert.strictEqual(yield* valueOverTime(saveTo(place())), content)
          assert.strictEqual(saved(), content)
          assert.deepStrictEqual(yield* entries, [])
        } else {
          const error = yield* errorOverTime(saveTo(place()))
          assert.deepInclude<object>(error, {
            _tag: "DownloadInterrupted",
            operation: "Documents.saveTo",
            available: false,
            bytesReceived: kept.length
          })
          const parts = kept === "" ? [] : [{ path: "part", bytes: kept.length }]
          const [entry = {}] = yield* entries
          assert.deepInclude<object>(entry, { _tag: "Lost", bytesReceived: kept.length, parts })
        }
        const isNoted = moment === "before it is published" || moment === "before it is forgotten"
        const isFirst = moment === "before the request"
        assert.deepStrictEqual(yield* questions, isNoted || isFirst ? ["result"] : ["result", "result"])
      }).pipe(Effect.provide(service(framings[framing])))
  )

  it.effect("is recovered without a request, and only if all of it is there", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const { place } = makePlace()
      const recover = Documents.use((documents) => documents.recover(Sample.document, place()))
      assert.isUndefined(yield* recover)
      yield* Effect.forkDetach(saveTo(place("after the last byte")))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* recover, content)
      assert.deepStrictEqual(yield* states, [])
      assert.deepStrictEqual(yield* questions, ["result"])
    }).pipe(Effect.provide(service({}))))

  it.effect("is noted with its files before they are opened", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const { place } = makePlace()
      const journal = yield* Journal
      const files = { temporary: "part", rescue: "rest" }
      const noted: Array<object> = []
      const opening = (download: Effect.Effect<Documents.Download, ErrorOf<typeof Documents, "download">>) =>
        Effect.gen(function*() {
          noted.push(...yield* Effect.provideService(entries, Journal, journal))
          const { receive } = yield* place().prepare
          return yield* receive(download)
        })
      const prepare = Effect.succeed({ files, receive: opening })
      assert.strictEqual(yield* valueOverTime(saveTo({ ...place(), prepare })), content)
      assert.deepInclude(noted[0] ?? {}, { _tag: "Downloading", ...files })
    }).pipe(Effect.provide(service({}))))

  it.effect("is kept as received when its place has all bytes and cannot publish them", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const { place, saved } = makePlace()
      const parts = [{ path: "part", bytes: content.length }] as const
      const full = new NotSaved({ description: "no room", parts, complete: true })
      const prepare = Effect.map(place().prepare, ({ receive }) => ({
        receive: (download: Effect.Effect<Documents.Download, ErrorOf<typeof Documents, "download">>) =>
          Effect.as(receive(download), Effect.fail(full))
      }))
      const error = yield* errorOverTime(saveTo({ ...place(), prepare }))
      assert.deepInclude<object>(error, { _tag: "NotSaved", message: "no room", available: undefined })
      const [entry = {}] = yield* entries
      assert.deepInclude<object>(entry, { _tag: "Received", parts })
      assert.strictEqual(yield* valueOverTime(saveTo(place())), content)
      assert.strictEqual(saved(), content)
      assert.deepStrictEqual(yield* questions, ["result"])
    }).pipe(Effect.provide(service({}))))

  it.effect("is lost when its place has a part and the service has deleted it", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      const { place } = makePlace()
      const parts = [{ path: "part", bytes: 5 }]
      const full = new NotSaved({ description: "no room", parts, complete: false })
      const receive = (download: Effect.Effect<Documents.Download, ErrorOf<typeof Documents, "download">>) =>
        Effect.andThen(download, Effect.fail(full))
      const error = yield* errorOverTime(saveTo({ ...place(), prepare: Effect.succeed({ receive }) }))
      assert.deepInclude<object>(error, { _tag: "NotSaved", available: false })
      const [entry = {}] = yield* entries
      assert.deepInclude<object>(entry, { _tag: "Lost", reason: "no room", bytesReceived: 5, parts })
      assert.deepStrictEqual(yield* questions, ["result", "status"])
    }).pipe(Effect.provide(service({}))))
})
