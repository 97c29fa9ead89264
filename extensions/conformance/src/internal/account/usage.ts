import { type CurrentUsage, Usage } from "@effect-lingua/core/account/Usage"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Effect from "effect/Effect"
import { charactersOf, check, fakeCheck, present, refused, same, that } from "../check.ts"
import { withKey } from "../host.ts"
import type { Check } from "../model.ts"

const get = Usage.use((usage) => usage.get)

const translate = (text: string) =>
  Translation.use((translation) => translation.translate({ text: [text], targetLanguage: "de" }))

const unitsOf = ({ products }: CurrentUsage, name: string) =>
  present(`the product ${name}`, products.find(({ product }) => product === name))

export const usage: ReadonlyArray<Check> = [
  check("Usage: the used characters are reported, in a period that ends after it starts", {}, function*() {
    const { characterCount, characterLimit, endTime, startTime } = yield* get
    const count = yield* present("a number of characters", characterCount)
    yield* that(count >= 0, "a number of characters that is not negative", count)
    yield* present("a limit of characters", characterLimit)
    if (startTime === undefined || endTime === undefined) return
    yield* that(startTime.epochMilliseconds < endTime.epochMilliseconds, "a period", { startTime, endTime })
  }),
  check("Usage: translation and improvement count for their product and in total", {
    source: "Limits",
    needs: ["fake", "paidTier"],
    characters: charactersOf("a👋", "abc")
  }, function*() {
    const before = yield* get
    yield* translate("a👋")
    yield* Writing.use((writing) => writing.correct({ text: ["abc"], targetLanguage: "de" }))
    const after = yield* get
    yield* same("the characters", after.characterCount, (before.characterCount ?? 0) + 5)
    yield* same("the key's characters", after.keyCharacterCount, (before.keyCharacterCount ?? 0) + 5)
    for (const [product, characters] of [["translate", 2], ["write", 3]] as const) {
      const [earlier, later] = yield* Effect.all([unitsOf(before, product), unitsOf(after, product)])
      yield* same(`the units of ${product}`, later.accountUnits, (earlier.accountUnits ?? 0) + characters)
      yield* same("the key's units", later.keyUnits, (earlier.keyUnits ?? 0) + characters)
    }
  }),
  fakeCheck("Usage: exactly the remaining characters are accepted", {
    characters: 3
  }, function*({ fake }) {
    const { characters, used } = yield* fake.quota()
    yield* Effect.gen(function*() {
      yield* fake.setQuota({ characters: used + 3 })
      yield* same("what is left", Usage.remaining(yield* get), 3)
      yield* refused(translate("abcd"), "QuotaExceeded")
      yield* same("what is left", Usage.remaining(yield* get), 3)
      yield* translate("abc")
      yield* same("what is left", Usage.remaining(yield* get), 0)
      yield* refused(translate("a"), "QuotaExceeded")
    }).pipe(Effect.ensuring(fake.setQuota({ characters })))
  }),
  fakeCheck("Usage: each account has a separate quota", {
    needs: ["freeKey"],
    characters: charactersOf("a")
  }, function*({ freeKey }) {
    const [mine, other] = [yield* get, yield* withKey(freeKey, get)]
    yield* translate("a")
    yield* same("the characters that the account has used", (yield* get).characterCount, (mine.characterCount ?? 0) + 1)
    yield* same(
      "the characters of the other account",
      (yield* withKey(freeKey, get)).characterCount,
      other.characterCount
    )
  }),
  check("Usage: an account without a limit has an unlimited one", { needs: ["fake"] }, function*({ fake }) {
    const { characters } = yield* fake.quota()
    yield* Effect.gen(function*() {
      yield* fake.setQuota({ characters: 1_000_000_000_000 })
      yield* same("the limit", (yield* get).characterLimit, "unlimited")
    }).pipe(Effect.ensuring(fake.setQuota({ characters })))
  })
]
