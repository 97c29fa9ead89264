// State diagrams whose states and transitions are those that a run of the code goes through; only the labels are written here.
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

/** A diagram of transitions (`from --> to`), each of which has a label, possibly an empty one. */
const diagram = (seen: Iterable<string>, labels: Readonly<Record<string, string>>): string => {
  const transitions = new Set(seen)
  for (const transition of transitions) {
    if (labels[transition] === undefined) throw new Error(`the transition ${transition} has no label`)
  }
  const lines = Object.entries(labels).map(([transition, label]) => {
    if (!transitions.has(transition)) throw new Error(`the transition ${transition} was not seen`)
    return `    ${transition}${label === "" ? "" : `: ${label}`}`
  })
  return ["```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n")
}

/** The circuit breaker, from a timeline in which it opens, stays open after a probe, and closes. */
export const breakerDiagram = (timeline: string): string =>
  diagram(
    [
      "[*] --> Closed",
      ...Array.from(timeline.matchAll(/breaker: (\w+) -> (\w+)/g), ([, from, to]) => `${from} --> ${to}`)
    ],
    {
      "[*] --> Closed": "",
      "Closed --> Open": "a second pause in a row",
      "Open --> HalfOpen": "the pause is over",
      "HalfOpen --> Closed": "the probe succeeds",
      "HalfOpen --> Open": "the probe fails"
    }
  )

/** The states of a document that follow each other, if it is downloaded as often as possible. */
const lifeOf = Effect.fnUntraced(function*(fails?: string) {
  const fake = yield* FakeLanguageService.FakeLanguageService
  const documents = yield* Documents
  const document = yield* fails === undefined
    ? documents.upload({ fileName: "letter.txt", content: new TextEncoder().encode("Hallo"), targetLanguage: "en-US" })
    : fake.addDocument({ content: "Hallo", fails })
  const states = ["[*]"]
  for (let second = 0; second < 8; second++) {
    const state = yield* Effect.match(documents.status(document), {
      onFailure: ({ _tag }) => _tag,
      onSuccess: ({ status }) => status
    })
    if (state !== states.at(-1)) states.push(state)
    yield* Effect.ignore(Effect.scoped(documents.download(document)))
    yield* TestClock.adjust("1 second")
  }
  return states.slice(1).map((state, index) => `${states[index]} --> ${state}`)
})

/** The life of a document at the service. */
export const documentDiagram = Effect.gen(function*() {
  return diagram([...yield* lifeOf(), ...yield* lifeOf("The file is damaged.")], {
    "[*] --> queued": "upload",
    "queued --> translating": "",
    "translating --> done": "",
    "translating --> error": "the translation failed",
    "done --> DocumentAlreadyDownloaded": "the first download"
  })
}).pipe(
  Effect.provide([
    LanguageService.layer({
      key: Redacted.make(FakeLanguageService.defaultKey),
      baseUrl: "https://fake.test",
      resilience: { attempts: 1, polling: false }
    }).pipe(Layer.provideMerge(FakeLanguageService.layer())),
    TestClock.layer()
  ])
)
