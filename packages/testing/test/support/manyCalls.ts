/** Many calls of all kinds at once, and what has to hold of them whatever the weather (rates of random faults). */
import { Attempt, Detection, Documents, Languages, StyleRules, Translation, Writing } from "@effect-lingua/core"
import type { StyleId } from "@effect-lingua/core/contract/Ids"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert } from "@effect/vitest"
import { Cause, Clock, Duration, Effect, Exit, Option, Random, Stream } from "effect"

const workers = 64

/** What every error of the library has. */
interface Failure {
  readonly _tag: string
  readonly outcome: string
  readonly attempts: ReadonlyArray<Attempt.Attempt>
}

const unknown = /^(AttemptTimeout|BadGateway|ConnectionLost|DeadlineExceeded|GatewayTimeout|InternalServerError)$/

/** Whether an error says that its call may have taken effect. */
const leavesOpen = (failure: Failure): boolean =>
  failure.outcome === "unknown" || failure.attempts.some((attempt) => unknown.test(attempt.failure ?? ""))

/** A call that creates: its id after a success, its error otherwise. */
interface Creation {
  styleId?: StyleId
  failure?: Failure
  removed?: boolean
}

/** A list of a worker, and the names that it may have. */
interface List {
  readonly styleId: StyleId
  names: ReadonlyArray<string>
}

/** How many calls in how much time. */
export interface Options {
  readonly calls: number
  readonly deadline: Duration.Duration
  readonly jobDeadline: Duration.Duration
  /** What a clock that is not virtual is given beyond the deadline, in milliseconds. */
  readonly slack?: () => number
  /** The longest a document takes to become ready, and the longest pause of a worker between two calls. */
  readonly readyWithin: Duration.Duration
  readonly pause: Duration.Duration
  /** Whether the service may work on after its client was cut off, so that an effect can come after a later call's. */
  readonly lateEffects?: boolean
}

/** One run of many calls. */
export const make = Effect.fnUntraced(function*(options: Options) {
  const { calls, deadline, jobDeadline, lateEffects = false, slack = () => 0 } = options
  const fake = yield* FakeLanguageService
  const [detection, documents, languages, rules, translation, writing] = [
    yield* Detection,
    yield* Documents,
    yield* Languages,
    yield* StyleRules,
    yield* Translation,
    yield* Writing
  ]
  const creations = new Map<string, Creation>()
  const downloads = new Map<string, Failure | "received">()
  /** How often texts were counted and documents uploaded, by the ledgers: at least and at most. */
  const effects = { texts: { least: 0, most: 0 }, uploads: { least: 0, most: 0 } }
  let started = 0
  let ended = 0

  /** Runs one call. It ends in its time, with a value or with an error of the library. */
  const ends = Effect.fnUntraced(function*<A, E extends Failure, R>(
    limit: Duration.Duration,
    call: Effect.Effect<A, E, R>
  ) {
    const start = yield* Clock.currentTimeMillis
    const exit = yield* Effect.exit(call)
    // Waits are fractions of milliseconds, and the body of an error has at least one.
    const took = Math.floor((yield* Clock.currentTimeMillis) - start)
    assert.isAtMost(took, Duration.toMillis(limit) + slack())
    ended++
    const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
    if (Exit.isSuccess(exit)) return { value: exit.value, failure }
    if (failure === undefined || Cause.hasDies(exit.cause) || Cause.hasInterrupts(exit.cause)) {
      return assert.fail(`a call ended with ${String(exit)}`)
    }
    assert.include(["refused", "unknown", "pending"], failure.outcome)
    return { value: undefined, failure }
  })

  /** Runs a call whose repeats cost something. After a lost response it may go out again `again` times. */
  const costly = Effect.fnUntraced(function*<A, E extends Failure, R>(
    sum: { least: number; most: number },
    limit: Duration.Duration,
    again: number,
    call: Effect.Effect<A, E, R>
  ) {
    const attempts: Array<Attempt.Attempt> = []
    const result = yield* ends(
      limit,
      Effect.provideService(call, Attempt.Recorder, (attempt) => void attempts.push(attempt))
    )
    const lost = attempts.slice(0, -1).filter(({ outcome, status = 0 }) => outcome === "unknown" && status < 500)
    assert.isAtMost(lost.length, again, "a call that costs something went out again after a lost response")
    if (result.failure === undefined) sum.least++
    sum.most += attempts.filter(({ failure, outcome }) => failure === undefined || outcome === "unknown").length
    return result
  })

  const create = Effect.gen(function*() {
    const name = `list ${creations.size}`
    const creation: Creation = {}
    creations.set(name, creation)
    const { failure, value } = yield* ends(deadline, rules.create({ name, language: "en" }))
    Object.assign(creation, { failure, styleId: value?.styleId })
    // Some go again, so that there is a DELETE in the weather too.
    if (value !== undefined && (yield* Random.next) < 0.5) {
      const removal = yield* ends(deadline, rules.remove({ styleId: value.styleId }))
      started++
      if (removal.failure === undefined) creation.removed = true
      else assert.notStrictEqual(removal.failure._tag, "NotFound")
    }
  })

  const download = Effect.gen(function*() {
    const content = `document ${downloads.size}`
    const readyAfter = Duration.times(options.readyWithin, yield* Random.next)
    const document = yield* fake.addDocument({ content, readyAfter })
    yield* receive(document, content)
  })

  const upload = Effect.gen(function*() {
    const content = `upload ${downloads.size}`
    // What transfers a file has the deadline for documents, in either direction.
    const { value } = yield* costly(
      effects.uploads,
      jobDeadline,
      0,
      documents.upload({ content: new TextEncoder().encode(content), fileName: "a.txt", targetLanguage: "de" })
    )
    if (value === undefined) return
    started++
    yield* receive(value)
  })

  /** Downloads a document, whose content is compared where it is known. */
  const receive = Effect.fnUntraced(function*(document: Documents.DocumentRef, content?: string) {
    const received = documents.download(document).pipe(
      Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream)))
    )
    const { failure, value } = yield* ends(jobDeadline, received)
    if (failure === undefined && content !== undefined) assert.strictEqual(value, content)
    downloads.set(document.documentId, failure ?? "received")
  })

  /** Renames the list of a worker, whose name afterwards is the new one, or may be either when nothing is known. */
  const rename = Effect.fnUntraced(function*(list: List) {
    const name = `name ${started}`
    const { failure } = yield* ends(deadline, rules.rename({ styleId: list.styleId, name }))
    if (failure === undefined && !lateEffects) list.names = [name]
    else if (failure === undefined || leavesOpen(failure)) list.names = [...list.names, name]
  })

  const check = Effect.fnUntraced(function*({ names, styleId }: List) {
    const { value } = yield* ends(deadline, rules.get({ styleId }))
    if (value !== undefined) assert.include(names, value.name)
  })

  /** Each kind of call, and the share of calls up to which it is chosen. */
  const kinds: ReadonlyArray<readonly [share: number, call: (list: List) => Effect.Effect<unknown>]> = [
    [0.1, () => ends(deadline, languages.resources)],
    [0.25, check],
    [
      0.4,
      () => costly(effects.texts, deadline, 1, translation.translate({ text: ["Good day"], targetLanguage: "de" }))
    ],
    [0.55, () => costly(effects.texts, deadline, 1, writing.correct({ text: ["This are fine."] }))],
    [0.65, () => ends(deadline, detection.detect({ text: ["Bonjour tout le monde"] }))],
    [0.8, rename],
    [0.9, () => create],
    [0.95, () => upload],
    [1, () => download]
  ]

  const worker = Effect.fnUntraced(function*(list: List) {
    while (started < calls) {
      started++
      const chance = yield* Random.next
      yield* kinds.find(([share]) => chance < share)?.[1](list) ?? Effect.void
      yield* Effect.sleep(Duration.times(options.pause, yield* Random.next))
    }
  })

  /** Compares what the calls reported with what the service has now, in good weather. */
  const verify = Effect.gen(function*() {
    assert.strictEqual(ended, started)
    const byName = Map.groupBy(yield* Stream.runCollect(rules.list()), ({ name }) => name)
    let created = workers
    for (const [name, { failure, removed = false, styleId }] of creations) {
      const found = (byName.get(name) ?? []).map(({ styleId }) => styleId)
      const most = removed || (failure !== undefined && failure._tag !== "OutcomeUnknown") ? 0 : 1
      assert.isAtMost(found.length, most, `${name}, ${failure?._tag ?? "created"}, is there ${found.length} times`)
      if (failure === undefined) assert.include([undefined, styleId], found[0], name)
      if (failure === undefined || found.length > 0) created++
    }
    const took = yield* fake.effects
    assert.strictEqual(took["StyleRules.create"].count, created, "each call that creates took effect once at most")
    const texts = took["Translation.translate"].count + took["Writing.correct"].count
    for (const [count, sum] of [[texts, effects.texts], [took["Documents.upload"].count, effects.uploads]] as const) {
      assert.isAtLeast(count, sum.least, "each success took effect")
      assert.isAtMost(count, sum.most, "only attempts that succeeded or had an unknown outcome took effect")
    }
    for (const { documentId, status } of yield* fake.documents) {
      const result = downloads.get(documentId)
      if (result === "received") assert.strictEqual(status, "gone")
      else if (status === "gone") assert.isTrue(result && leavesOpen(result), `${documentId} is gone without a word`)
    }
  })

  const lists: Array<List> = []
  const prepare = Effect.gen(function*() {
    while (lists.length < workers) {
      const { styleId } = yield* rules.create({ name: "first", language: "en" })
      lists.push({ styleId, names: ["first"] })
    }
    // What is made at the first use takes its time, and would count as the service's.
    const [list] = lists
    if (list === undefined) return
    for (const [, call] of kinds) {
      started++
      yield* call(list)
    }
  })

  return {
    verify,
    /** Gives each worker a list of its own and makes a call of each kind, in good weather. */
    prepare,
    work: Effect.suspend(() => Effect.forEach(lists, worker, { concurrency: "unbounded", discard: true }))
  }
})
