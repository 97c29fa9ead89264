/** Creates and removes the style rule lists and glossaries of checks. */
import type { GlossaryId, StyleId } from "@effect-lingua/core/contract/Ids"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { Failure } from "./check.ts"
import { Subject } from "./model.ts"

/** Prefix of all resource names, before the run id. */
const namePrefix = "effect-lingua-conformance"

const idDigits = 16

export const makeRunId: Effect.Effect<string> = Effect.map(
  Effect.all(Array.from({ length: idDigits }, () => Random.nextIntBetween(0, 15))),
  (digits) => digits.map((digit) => digit.toString(16)).join("")
)

const ownName = new RegExp(`^${namePrefix} [0-9a-f]{${idDigits}}( |$)`)

/** Creates a name for a list or glossary of this run. */
export const nameOf = (what: string) => Effect.map(Subject, ({ runId }) => `${namePrefix} ${runId} ${what}`)

/** Removes a resource. Returns false, and logs a warning, if the removal fails. */
const isRemoved = <R>(what: string, removal: Effect.Effect<unknown, Failure, R>) =>
  removal.pipe(
    Effect.as(true),
    Effect.catch(({ _tag, message }) =>
      _tag === "NotFound"
        ? Effect.succeed(true)
        : Effect.as(Effect.logWarning(`${what} was not removed. ${message}`), false)
    )
  )

const remove = (styleId: StyleId, name: string) =>
  isRemoved(`The style rule list "${name}"`, StyleRules.use((rules) => rules.remove({ styleId })))

/** Removes a glossary of API version 2 or 3. */
export const removeGlossary = (glossaryId: GlossaryId) =>
  isRemoved(`Glossary ${glossaryId}`, Glossaries.use((glossaries) => glossaries.remove({ glossaryId })))

/** Creates a style rule list, which is removed at the end of the scope. */
export const aList = Effect.fnUntraced(
  function*(options: Partial<StyleRules.CreateOptions> & { readonly what?: string } = {}) {
    const { what = "list", ...fields } = options
    const rules = yield* StyleRules
    const name = yield* nameOf(what)
    return yield* Effect.acquireRelease(
      rules.create({ name, language: "en", ...fields }),
      ({ styleId }) => Effect.provideService(remove(styleId, name), StyleRules, rules)
    )
  }
)

/** At the end of the scope, removes a list that a raw request created. */
export const removed = (styleId: StyleId, name: string) => Effect.addFinalizer(() => remove(styleId, name))

/** Creates a glossary from English to German, which is removed at the end of the scope. */
export const aGlossary = Effect.fnUntraced(function*(entries: ReadonlyMap<string, string>) {
  const glossaries = yield* Glossaries
  const name = yield* nameOf("glossary")
  return yield* Effect.acquireRelease(
    glossaries.create({ name, dictionaries: [{ sourceLanguage: "en", targetLanguage: "de", entries }] }),
    ({ glossaryId }) => Effect.provideService(removeGlossary(glossaryId), Glossaries, glossaries)
  )
})

/** All style rule lists; in pages of the default size if the host refuses the largest page size. */
const all = StyleRules.use((rules) => {
  const seen = new Set<StyleId>()
  const pages = Stream.paginate(0, (page) =>
    Effect.map(rules.listPage({ page }), (lists) => {
      const fresh = lists.filter(({ styleId }) => !seen.has(styleId))
      for (const { styleId } of fresh) seen.add(styleId)
      return [fresh, fresh.length === 0 ? Option.none<number>() : Option.some(page + 1)] as const
    }))
  return Stream.runCollect(Stream.catchTag(rules.list(), "BadRequest", () => pages))
})

/** True for a resource that a run created, judged by name and, for earlier runs, age. */
type Own = (made: { readonly name: string; readonly creationTime?: DateTime.Utc }) => boolean

const removeAll = Effect.fnUntraced(function*(own: Own) {
  // Lists everything before the first removal, because a removal shifts the pages.
  const found = (yield* all).filter(own)
  const gone = yield* Effect.filter(found, ({ name, styleId }) => remove(styleId, name))
  return gone.map(({ name }) => name)
})

const removeAllGlossaries = Effect.fnUntraced(function*(own: Own) {
  const found = (yield* Glossaries.use((glossaries) => Stream.runCollect(glossaries.list))).filter(own)
  const gone = yield* Effect.filter(found, ({ glossaryId }) => removeGlossary(glossaryId))
  return gone.map(({ name }) => name)
})

const ofThisRun = Effect.map(Subject, ({ runId }): Own => ({ name }) => name.startsWith(`${namePrefix} ${runId} `))

/** Removes lists of this run that checks could not remove, for example after a lost response. */
export const sweep = Effect.flatMap(ofThisRun, removeAll)

/** {@link sweep} for glossaries. */
export const sweepGlossaries = Effect.flatMap(ofThisRun, removeAllGlossaries)

/** Removes the lists and glossaries of earlier runs. */
export const removeLeftovers = Effect.fnUntraced(function*(olderThan: Duration.Input) {
  const before = DateTime.subtractDuration(yield* DateTime.now, Duration.fromInputUnsafe(olderThan))
  const own: Own = ({ creationTime, name }) =>
    ownName.test(name) && creationTime !== undefined && DateTime.isLessThanOrEqualTo(creationTime, before)
  return [...yield* removeAll(own), ...yield* removeAllGlossaries(own)]
})
