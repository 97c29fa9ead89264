import type { UsageCounts } from "@effect-lingua/core/account/Admin"
import { Admin } from "@effect-lingua/core/account/Admin"
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { KeyId } from "@effect-lingua/core/contract/Ids"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { check, type Failure, present, refused, same, that } from "../check.ts"
import { withAdmin, withKey } from "../host.ts"
import { type Check, type Requirements, Subject } from "../model.ts"

const service = Admin

/** The seven days before today, because reports of these days are complete. */
const lastWeek = Effect.map(DateTime.now, (now) => ({
  startDate: DateTime.formatIsoDateUtc(DateTime.subtract(now, { days: 7 })),
  endDate: DateTime.formatIsoDateUtc(DateTime.subtract(now, { days: 1 }))
}))

const list = service.use((admin) => Stream.runCollect(admin.listKeys))

const notNegative = (counts: typeof UsageCounts.Type) => {
  const { documentTranslationCharacters, textImprovementCharacters, textTranslationCharacters } = counts
  const all = [
    counts.totalCharacters,
    textTranslationCharacters,
    documentTranslationCharacters,
    textImprovementCharacters,
    counts.speechToTextMinutes
  ]
  return that(all.every((count = 0) => count >= 0), "numbers that are not negative", counts)
}

/** Creates a developer key for a check, and deactivates the key when the check ends. */
const key = Effect.acquireRelease(
  Effect.gen(function*() {
    const { runId } = yield* Subject
    return yield* service.use((admin) => admin.createKey({ label: `effect-lingua-conformance ${runId}` }))
  }),
  ({ keyId }) => Effect.ignore(service.use((admin) => admin.deactivateKey({ keyId })))
)

const listed = (keyId: KeyId) =>
  Effect.flatMap(list, (keys) => present("the key in the list", keys.find((one) => one.keyId === keyId)))

/** Makes a check that calls `Admin` with an admin key. */
const adminCheck = (
  name: string,
  { needs = [] }: { readonly needs?: ReadonlyArray<"createKeys" | "fake"> },
  run: () => Effect.gen.Return<unknown, Failure, Requirements | Admin | Scope.Scope>
): Check => check(name, { needs: ["adminKey", ...needs] }, ({ adminKey }) => withAdmin(adminKey, Effect.gen(run)))

export const admin: ReadonlyArray<Check> = [
  adminCheck("Admin: keys are listed with their ids, each once", {}, function*() {
    const keys = yield* list
    yield* that(keys.length > 0, "the key of the account", keys)
    yield* same("ids", new Set(keys.map(({ keyId }) => keyId)).size, keys.length)
  }),
  adminCheck("Admin: a key is created, labelled, limited, and permanently deactivated", {
    needs: ["createKeys"]
  }, function*() {
    const admin = yield* service
    const { keyId } = yield* key
    yield* that(Admin.isActive(yield* listed(keyId)), "an active key", "one that is not")
    const label = "effect-lingua-conformance"
    yield* same("the label", (yield* admin.setKeyLabel({ keyId, label })).label, label)
    const limited = yield* admin.setKeyLimits({ keyId, characters: 0, speechToTextMilliseconds: "unlimited" })
    yield* same("the limit of characters", limited.usageLimits.characters, 0)
    yield* same("the limit of speech", limited.usageLimits.speechToTextMilliseconds, "unlimited")
    yield* admin.deactivateKey({ keyId })
    yield* admin.deactivateKey({ keyId })
    yield* that(!Admin.isActive(yield* listed(keyId)), "a key that is not active", "an active key")
  }),
  adminCheck("Admin: a key is accepted until it is deactivated", { needs: ["fake"] }, function*() {
    const { keyId, secret } = yield* key
    const use = withKey(
      yield* present("the secret of the key", secret),
      Languages.use((languages) => languages.resources)
    )
    yield* use
    yield* service.use((admin) => admin.deactivateKey({ keyId }))
    yield* refused(use, "InvalidKey", "AccessDenied")
  }),
  adminCheck(
    "Admin: the usage of a range of time is reported in total, by key, and by key and day",
    {},
    function*() {
      const range = yield* lastWeek
      for (const groupBy of [undefined, "key", "key_and_day"]) {
        const report = yield* service.use((admin) => admin.analytics({ ...range, groupBy }))
        const { keyAndDayUsages, keyUsages, totalUsage } = report
        for (const { usage } of [{ usage: totalUsage }, ...keyUsages, ...keyAndDayUsages]) {
          yield* notNegative(usage)
        }
      }
    }
  ),
  adminCheck("Admin: the usage of tagged translations is reported in a finite number of pages", {}, function*() {
    const range = yield* lastWeek
    const admin = yield* service
    for (const aggregateBy of [undefined, "period", "day"]) {
      yield* Stream.runForEach(
        admin.listCustomTagUsage({ ...range, aggregateBy }),
        ({ breakdown }) => notNegative(breakdown)
      )
    }
  }),
  adminCheck("Admin: a range of more than 366 days is refused", {}, function*() {
    const { endDate } = yield* lastWeek
    const startDate = DateTime.subtract(yield* DateTime.now, { days: 500 })
    yield* refused(service.use((admin) => admin.analytics({ startDate, endDate })), "BadRequest")
  }),
  check("Admin: a developer key is refused", {}, function*() {
    const { key } = yield* LanguageServiceConfig
    yield* withAdmin(key, refused(list, "AccessDenied", "InvalidKey", "NotFound"))
  })
]
