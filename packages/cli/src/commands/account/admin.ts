/** `admin`. */
import type { DeveloperKey, KeyLimit, UsageCounts } from "@effect-lingua/core/account/AdminApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Stream from "effect/Stream"
import { administer } from "../../client/client.ts"
import { keyId } from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { type Style, table, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { known, optional, text } from "../../settings/flags.ts"

const id = Argument.String("key-id").pipe(
  Argument.withDescription("The id of a key, as admin keys list shows them")
)

const day = (time: DateTime.Utc | undefined) => time === undefined ? "" : DateTime.formatIsoDateUtc(time)

const shown = (isActive: (key: DeveloperKey) => boolean, keys: ReadonlyArray<DeveloperKey>) => (style: Style) =>
  table(
    style,
    ["KEY ID", "STATE", "CREATED", "CHARACTERS", "SPEECH MS", "LABEL"],
    keys.map((key) => [
      key.keyId,
      isActive(key) ? "active" : "deactivated",
      day(key.creationTime),
      String(key.usageLimits.characters ?? ""),
      String(key.usageLimits.speechToTextMilliseconds ?? ""),
      key.label ?? ""
    ])
  )

const list = Command.make(
  "list",
  Output.flags,
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      administer(({ Admin }) =>
        Effect.map(Admin.Admin.use((admin) => admin.listKeys()), (keys): Output.Results => ({
          json: keys,
          human: shown(Admin.isActive, keys)
        }))
      )
    )
  })
).pipe(
  Command.withDescription("List the developer keys, deactivated ones too, with what they may use up"),
  Command.withExamples([{ command: `effect-lingua admin keys list --fake`, description: "All keys" }])
)

const create = Command.make(
  "create",
  { label: text("label", "text", "What the key is for") },
  Effect.fnUntraced(function*({ label }) {
    const key = yield* administer(({ Admin }) => Admin.Admin.use((admin) => admin.createKey({ label })))
    const { answer, secret, ...rest } = key
    const revealed = {
      ...(secret === undefined ? undefined : { secret: Redacted.value(secret) }),
      ...(answer === undefined ? undefined : { answer: Redacted.value(answer) })
    }
    // Never into a file, which others might read.
    yield* Output.print({
      json: [{ ...rest, ...revealed }],
      human: (style) =>
        revealed.secret === undefined
          ? style.clean(revealed.answer ?? "")
          : table(style, ["KEY ID", "SECRET"], [[key.keyId, revealed.secret]])
    })
    if (secret === undefined) {
      const message = "the service did not tell the secret by a name that is known; its answer is on standard output"
      yield* tell("secret", message, { keyId: key.keyId })
    }
  })
).pipe(
  Command.withDescription(
    "Make a developer key, another one each time. Its secret is printed here and nowhere else: keep it at once"
  ),
  Command.withExamples([
    { command: `effect-lingua admin keys create --fake --label "Help pages"`, description: "A key with a label" }
  ])
)

/** The key as it is after a change. */
const changed = (isActive: (key: DeveloperKey) => boolean) => (key: DeveloperKey): Output.Results => ({
  json: [key],
  human: shown(isActive, [key])
})

const deactivate = Command.make(
  "deactivate",
  { id, ...Confirm.flags, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      administer(({ Admin, KeyId }) =>
        Effect.gen(function*() {
          const admin = yield* Admin.Admin
          const keyId = KeyId.make(input.id)
          yield* Confirm.confirm(
            input,
            Effect.map(admin.listKeys(), (keys) => {
              const label = keys.find((key) => key.keyId === keyId)?.label
              return `deactivate the key ${label === undefined ? keyId : JSON.stringify(label)}`
            })
          )
          return changed(Admin.isActive)(yield* admin.deactivateKey({ keyId }))
        })
      )
    )
  })
).pipe(
  Command.withDescription("Deactivate a developer key; it cannot be undone"),
  Command.withExamples([
    { command: `effect-lingua admin keys deactivate --fake --yes ${keyId}`, description: "Without being asked" }
  ])
)

const label = Command.make(
  "label",
  { id, label: Argument.String("label").pipe(Argument.withDescription("What the key is for")), ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      administer(({ Admin, KeyId }) =>
        Admin.Admin.use((admin) => admin.setKeyLabel({ keyId: KeyId.make(input.id), label: input.label })).pipe(
          Effect.map(changed(Admin.isActive))
        )
      )
    )
  })
).pipe(
  Command.withDescription("Give a developer key another label"),
  Command.withExamples([
    { command: `effect-lingua admin keys label --fake ${keyId} "Manuals"`, description: "Another label" }
  ])
)

const Limit = Schema.String.check(
  Schema.makeFilter((given: string) =>
    given === "unlimited" || /^\d{1,15}$/.test(given) || "Expected a whole number from 0, or unlimited"
  )
).pipe(
  Schema.decodeTo(
    Schema.Union([Schema.Int, Schema.Literal("unlimited")]),
    SchemaTransformation.transform<KeyLimit, string>({
      decode: (given) => given === "unlimited" ? given : Number(given),
      encode: String
    })
  )
)

const limit = (name: string, description: string) =>
  optional(Flag.String(name).pipe(Flag.withSchema(Limit), Flag.withMetavar("number")), description)

const limits = Command.make(
  "limits",
  {
    id,
    characters: limit("characters", "Characters of a period; 0 blocks the key, unlimited takes the limit away"),
    speech: limit("speech-milliseconds", "Milliseconds of speech of a period, likewise"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { characters, speech } = input
    if (characters === undefined && speech === undefined) {
      return yield* new InvalidUsage({ message: "nothing to limit: give --characters or --speech-milliseconds" })
    }
    yield* Output.deliver(
      input,
      administer(({ Admin, KeyId }) =>
        Admin.Admin.use((admin) =>
          admin.setKeyLimits({ keyId: KeyId.make(input.id), characters, speechToTextMilliseconds: speech })
        ).pipe(Effect.map(changed(Admin.isActive)))
      )
    )
  })
).pipe(
  Command.withDescription("Limit what a developer key may use up"),
  Command.withExamples([
    { command: `effect-lingua admin keys limits --fake ${keyId} --characters 500000`, description: "Half a million" }
  ])
)

const keys = Command.make("keys").pipe(
  Command.withDescription("The developer keys of the account"),
  Command.withSubcommands([list, create, deactivate, label, limits])
)

const range = {
  startDate: Flag.String("start-date").pipe(
    Flag.withMetavar("date"),
    Flag.withDescription("A day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z")
  ),
  endDate: Flag.String("end-date").pipe(
    Flag.withMetavar("date"),
    Flag.withDescription("The same, 366 days later at most")
  )
}

const count = (number: number | undefined) => String(number ?? "")

const counts = (usage: typeof UsageCounts.Type) => [
  count(usage.totalCharacters),
  count(usage.textTranslationCharacters),
  count(usage.documentTranslationCharacters),
  count(usage.textImprovementCharacters),
  count(usage.speechToTextMinutes)
]

const analytics = Command.make(
  "analytics",
  {
    ...range,
    groupBy: text(
      "group-by",
      "what",
      `An entry for each key, or for each of its days; ${known(["key", "key_and_day"])}`
    ),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { endDate, groupBy, startDate } = input
    yield* Output.deliver(
      input,
      administer(({ Admin }) =>
        Effect.map(
          Admin.Admin.use((admin) => admin.analytics({ startDate, endDate, groupBy })),
          (report): Output.Results => ({
            json: [report],
            human: (style) =>
              table(style, ["KEY", "DAY", "CHARACTERS", "TEXTS", "DOCUMENTS", "IMPROVED", "SPEECH MIN", "LABEL"], [
                ["all", "", ...counts(report.totalUsage)],
                ...report.keyUsages.map(({ apiKey = "", apiKeyLabel = "", usage }) => [
                  apiKey,
                  "",
                  ...counts(usage),
                  apiKeyLabel
                ]),
                ...report.keyAndDayUsages.map(({ apiKey = "", apiKeyLabel = "", usage, usageDate }) => [
                  apiKey,
                  day(usageDate),
                  ...counts(usage),
                  apiKeyLabel
                ])
              ])
          })
        )
      )
    )
  })
).pipe(
  Command.withDescription("Report what was used up in a range of time"),
  Command.withExamples([
    {
      command: "effect-lingua admin analytics --fake --start-date 2026-01-01 --end-date 2026-01-31 --group-by key",
      description: "January, by key"
    }
  ])
)

const customTags = Command.make(
  "custom-tags",
  {
    ...range,
    aggregateBy: text(
      "aggregate-by",
      "what",
      `An entry for each tag, or for each of its days; ${known(["period", "day"])}`
    ),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { aggregateBy, endDate, startDate } = input
    yield* Output.deliver(
      input,
      administer(({ Admin }) =>
        Admin.Admin.use((admin) => Stream.runCollect(admin.customTagUsage({ startDate, endDate, aggregateBy }))).pipe(
          Effect.map((usage): Output.Results => ({
            json: usage,
            human: (style) =>
              table(
                style,
                ["TAG", "DAY", "CHARACTERS"],
                usage.map(({ breakdown, customTag = "", usageDate }) => [
                  customTag,
                  day(usageDate),
                  count(breakdown.totalCharacters)
                ])
              )
          }))
        )
      )
    )
  })
).pipe(
  Command.withDescription("Report what translations with a --reporting-tag have used up, as far as yesterday"),
  Command.withExamples([
    {
      command: "effect-lingua admin custom-tags --fake --start-date 2026-01-01 --end-date 2026-01-31",
      description: "January, by tag"
    }
  ])
)

/** Keys, and what they have used up. */
export const admin = Command.make("admin").pipe(
  Command.withDescription(
    "Developer keys, and what they have used up. It needs an admin key: set LANGUAGE_SERVICE_ADMIN_KEY. No other key is read"
  ),
  Command.withSubcommands([keys, analytics, customTags])
)
