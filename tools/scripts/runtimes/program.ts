// The program for all runtimes: corrects a text, and streams a document to and from the service.
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { Effect, Layer, Redacted, Stream } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"

const encoder = new TextEncoder()

const parts = ["Guten ", "Tag"].map((part) => encoder.encode(part))

/** `streams` is false in browsers, which cannot send streams over HTTP/1.1. */
const program = (streams: boolean) =>
  Effect.gen(function*() {
    const { text } = yield* Writing.use(({ correct }) => correct("teh letter"))
    const documents = yield* Documents
    const ref = yield* documents.upload({
      content: streams ? Stream.fromIterable(parts) : encoder.encode("Guten Tag"),
      fileName: "letter.txt",
      sourceLanguage: "de",
      targetLanguage: "en-GB"
    })
    const { stream } = yield* documents.download(ref)
    return `${text} ${yield* Stream.mkString(Stream.decodeText(stream))}`
  })

/** Runs the program with an in-process fake, and with a service over `fetch`. */
export const run = (url: string, streams = true): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(Effect.all([
    Effect.provide(program(streams), FakeLanguageService.layerServices({ readyAfter: 0 })),
    Effect.provide(
      program(streams),
      LanguageService.layer({
        key: Redacted.make("fake-key"),
        baseUrl: url,
        resilience: { pollBase: 50, pollCap: 50 }
      }).pipe(Layer.provide(FetchHttpClient.layer))
    )
  ]))
