/** Commands `usage` and `admin`. */
import { Admin, type DeveloperKey, type UsageCounts } from "@effect-lingua/core/account/Admin"
import { type CurrentUsage, Usage } from "@effect-lingua/core/account/Usage"
import { KeyId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { administer, call } from "../client/client.ts"
import * as Sample from "../client/sample.ts"
import * as Output from "../files/output.ts"
import * as Confirm from "../screen/confirm.ts"
import { tell } from "../screen/screen.ts"
import { table } from "../screen/table.ts"
import { misuseIf } from "../settings/errors.ts"
import { argument, idArgument, known, optional, required, text } from "../settings/flags.ts"
import { command, group, writing } from "./command.ts"

const keyId = idArgument("key-id", KeyId, "The id of a key, as printed by admin keys list")

const day = (time: DateTime.Utc | undefined) => time === undefined ? undefined : DateTime.formatIsoDateUtc(time)

const shown = (keys: ReadonlyArray<DeveloperKey>) =>
  Output.rows(keys, {
    "KEY ID": "keyId",
    STATE: (key) => Admin.isActive(key) ? "active" : "deactivated",
    CREATED: ({ creationTime }) => day(creationTime),
    CHARACTERS: ({ usageLimits }) => usageLimits.characters,
    "SPEECH MS": ({ usageLimits }) => usageLimits.speechToTextMilliseconds,
    LABEL: "label"
  })

type Service = Admin["Service"]

const use = <A, E, R>(run: (admin: Service) => Effect.Effect<A, E, R>) => administer(Admin.use(run))

const changed = <E, R>(change: (admin: Service) => Effect.Effect<DeveloperKey, E, R>) =>
  use(change).pipe(Effect.map((key) => shown([key])))

const list = command("admin keys list", {
  description: "List the developer keys with their limits, including deactivated keys",
  examples: { "--fake": "All keys" },
  params: {},
  run: () => Effect.map(use((admin) => Stream.runCollect(admin.listKeys)), shown)
})

const create = writing("admin keys create", {
  description: "Create a developer key, a new one on each run. Its secret is printed once: store it immediately",
  examples: { [`--fake --label "Help pages"`]: "A key with a label" },
  params: { label: text("label", "text", "The purpose of the key") },
  run: Effect.fnUntraced(function*(options) {
    const key = yield* use((admin) => admin.createKey(options))
    const { answer, secret, ...rest } = key
    const revealed = { secret: secret && Redacted.value(secret), answer: answer && Redacted.value(answer) }
    // Never writes the secret to a file, because other users might read the file.
    yield* Output.print({
      json: [{ ...rest, ...revealed }],
      human: (style) =>
        secret === undefined
          ? style.clean(revealed.answer ?? "")
          : table(style, { "KEY ID": () => key.keyId, SECRET: "secret" }, [revealed])
    })
    if (secret === undefined) {
      const message = "the secret is not in a known field of the response, which is on standard output"
      yield* tell("secret", message, { keyId: key.keyId })
    }
  })
})

const deactivate = command("admin keys deactivate", {
  description: "Deactivate a developer key; it cannot be undone",
  examples: { [`--fake --yes ${Sample.keyId}`]: "Without a question" },
  params: { ref: { keyId }, ...Confirm.flags },
  run: ({ ref, ...input }) =>
    changed((admin) => {
      const action = Effect.map(Stream.runCollect(admin.listKeys), (keys) => {
        const label = keys.find((key) => key.keyId === ref.keyId)?.label
        return `deactivate the key ${label === undefined ? ref.keyId : JSON.stringify(label)}`
      })
      return Effect.andThen(Confirm.confirm(input, action), admin.deactivateKey(ref))
    })
})

const label = command("admin keys label", {
  description: "Change the label of a developer key",
  examples: { [`--fake ${Sample.keyId} "Manuals"`]: "Another label" },
  params: { keyId, label: argument("label", "The purpose of the key") },
  run: (input) => changed((admin) => admin.setKeyLabel(input))
})

const limitOf = (value: string): Option.Option<number | "unlimited"> =>
  value === "unlimited" ? Option.some(value) : /^\d{1,15}$/.test(value) ? Option.some(Number(value)) : Option.none()

const limit = (name: string, description: string) =>
  optional(
    Flag.String(name).pipe(
      Flag.filterMap(limitOf, () => "Expected a whole number from 0, or unlimited"),
      Flag.withMetavar("number")
    ),
    description
  )

const limits = command("admin keys limits", {
  description: "Limit the usage of a developer key",
  examples: { [`--fake ${Sample.keyId} --characters 500000`]: "Half a million" },
  params: {
    keyId,
    characters: limit("characters", "Characters of a period; 0 blocks the key, unlimited removes the limit"),
    speechToTextMilliseconds: limit("speech-milliseconds", "Milliseconds of speech to text of a period, likewise"),
    speechToSpeechMilliseconds: limit("speech-to-speech-milliseconds", "Milliseconds of speech to speech, likewise")
  },
  run: Effect.fnUntraced(function*({ keyId, ...limitFlags }) {
    yield* misuseIf(
      Object.values(limitFlags).every((limit) => limit === undefined),
      "nothing to limit: give --characters, --speech-milliseconds or --speech-to-speech-milliseconds"
    )
    const input = { keyId, ...limitFlags }
    return yield* changed((admin) => admin.setKeyLimits(input))
  })
})

const keys = group("keys", [list, create, deactivate, label, limits], "The developer keys of the account")

const range = {
  startDate: required("start-date", "date", "A day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z"),
  endDate: required("end-date", "date", `The same, at most ${Limits.defaults.reportDays} days later`)
}

const groupBy = (values: ReadonlyArray<string>, description: string) =>
  text("group-by", "group", `${description}, ${known(values)}`)

interface Row {
  readonly usage: typeof UsageCounts.Type
  readonly apiKey?: string
  readonly apiKeyLabel?: string
  readonly usageDate?: DateTime.Utc
}

const analytics = command("admin analytics", {
  description: "Report the usage in a range of time",
  examples: { "--fake --start-date 2026-01-01 --end-date 2026-01-31 --group-by key": "January, by key" },
  params: { ...range, groupBy: groupBy(["key", "key_and_day"], "An entry for each key, or for each day of a key") },
  run: (input) =>
    use((admin) => admin.analytics(input)).pipe(Effect.map((report) => {
      const all: ReadonlyArray<Row> = [
        { apiKey: "all", usage: report.totalUsage },
        ...report.keyUsages,
        ...report.keyAndDayUsages
      ]
      return Output.rows(all, {
        KEY: "apiKey",
        DAY: ({ usageDate }) => day(usageDate),
        CHARACTERS: ({ usage }) => usage.totalCharacters,
        TEXTS: ({ usage }) => usage.textTranslationCharacters,
        DOCUMENTS: ({ usage }) => usage.documentTranslationCharacters,
        IMPROVED: ({ usage }) => usage.textImprovementCharacters,
        "SPEECH MIN": ({ usage }) => usage.speechToTextMinutes,
        LABEL: "apiKeyLabel"
      }, [report])
    }))
})

const customTags = command("admin custom-tags", {
  description: "Report the usage of translations with a --reporting-tag, up to yesterday",
  examples: { "--fake --start-date 2026-01-01 --end-date 2026-01-31": "January, by tag" },
  params: { ...range, aggregateBy: groupBy(["period", "day"], "An entry for each tag, or for each day of a tag") },
  run: (input) =>
    use((admin) => Stream.runCollect(admin.listCustomTagUsage(input))).pipe(Effect.map((usage) =>
      Output.rows(usage, {
        TAG: "customTag",
        DAY: ({ usageDate }) => day(usageDate),
        CHARACTERS: ({ breakdown }) => breakdown.totalCharacters
      })
    ))
})

export const admin = group("admin", [keys, analytics, customTags])

/** The usage and the limit of each unit. Omits units that have neither. */
const rowsOf = (usage: CurrentUsage) =>
  [
    { unit: "characters", used: usage.characterCount, limit: usage.characterLimit },
    { unit: "characters of this key", used: usage.keyCharacterCount, limit: usage.keyCharacterLimit },
    ...usage.products.map(({ accountUnits, billingUnit, product }) => ({
      unit: billingUnit === undefined ? product : `${product}, ${billingUnit}`,
      used: accountUnits,
      limit: undefined
    }))
  ].filter(({ limit, used }) => used !== undefined || limit !== undefined)

export const usage = command("usage", {
  examples: { "--fake": "For the account, the key and each product" },
  params: {},
  run: () =>
    Effect.map(call(Usage.use((service) => service.get)), (usage): Output.Results => ({
      json: [usage],
      human: (style) =>
        [
          table(style, { UNIT: "unit", USED: "used", LIMIT: "limit" }, rowsOf(usage)),
          `characters left: ${Usage.remaining(usage)}`,
          ...(usage.endTime === undefined ? [] : [`until: ${DateTime.formatIso(usage.endTime)}`])
        ].join("\n")
    }))
})
