/** A process that detects the languages of the requested number of texts. Argument: `DetectionOrder`, as JSON. */
import * as TextBatching from "@effect-lingua/cache/TextBatching"
import { Detection } from "@effect-lingua/core/texts/Detection"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import Undici from "@effect/platform-node/Undici"
import { Effect, Layer, ManagedRuntime, Redacted, Stream } from "effect"
import type { DetectionKind, DetectionOrder } from "./protocol.ts"
import { answerRuns } from "./running.ts"

const order: DetectionOrder = JSON.parse(process.argv[2] ?? "{}")
const concurrency = order.inFlight

/** Distinct texts, because the library sends equal texts once. */
const textsOf = (size: number): ReadonlyArray<string> =>
  Array.from({ length: size }, (_, index) => `All is well that ends well, number ${index}.`)

type Work = (texts: ReadonlyArray<string>) => Promise<number>

const ours = <E>(
  work: (texts: ReadonlyArray<string>, detection: Detection["Service"]) => Effect.Effect<number, E>
): Work => {
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(
      TextBatching.layer,
      NodeLanguageService.layer({
        key: Redacted.make("key"),
        baseUrl: order.url,
        journal: "memory",
        resilience: { concurrency }
      })
    )
  )
  return (texts) => runtime.runPromise(Effect.flatMap(Detection, (detection) => work(texts, detection)))
}

const oneByOne = async (texts: ReadonlyArray<string>): Promise<number> => {
  const dispatcher = new Undici.Agent()
  const rest = texts.values()
  let done = 0
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const text of rest) {
      // oxlint-disable-next-line no-await-in-loop -- consecutive requests are measured
      const response = await Undici.request(`${order.url}/v3/detect/language`, {
        dispatcher,
        method: "POST",
        headers: { authorization: "Key key", "content-type": "application/json" },
        body: JSON.stringify({ text: [text] })
      })
      // oxlint-disable-next-line no-await-in-loop
      JSON.parse(await response.body.text())
      done++
    }
  }))
  return done
}

const works: Readonly<Record<DetectionKind, () => Work>> = {
  "one by one": () =>
    ours((texts, detection) =>
      Effect.map(
        Effect.forEach(texts, (text) => detection.detect({ text: [text] }), { concurrency }),
        (results) => results.flat().length
      )
    ),
  "one by one, undici": () => oneByOne,
  "by hand": () =>
    ours((texts, detection) => {
      const batches = Array.from(
        { length: Math.ceil(texts.length / 50) },
        (_, index) => texts.slice(index * 50, (index + 1) * 50)
      )
      return Effect.map(
        Effect.forEach(batches, (text) => detection.detect({ text }), { concurrency }),
        (results) => results.flat().length
      )
    }),
  "detect": () =>
    ours((texts, detection) =>
      Effect.map(
        Effect.forEach(texts, (text) => detection.detect(text), { concurrency: "unbounded" }),
        (results) => results.length
      )
    ),
  "detectAll": () => ours((texts, detection) => Stream.runCount(detection.detectAll(texts, { concurrency })))
}

const work = works[order.kind]()

answerRuns((size) => work(textsOf(size)))
