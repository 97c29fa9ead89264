import { InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import {
  type StyleRef,
  type StyleRuleList,
  type StyleRuleListEntry,
  StyleRules
} from "@effect-lingua/core/style-rules/StyleRules"
import { isWhole } from "@effect-lingua/testing/extension/Checks"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { Mismatch, nothing, paidCheck, present, refused, same, show, that } from "../check.ts"
import { altered, decode, isJson, read, refusal, send } from "../host.ts"
import { aList, nameOf, removed } from "../lists.ts"
import type { Check } from "../model.ts"

const rules = {
  punctuation: { periods_in_academic_degrees: "do_not_use" },
  dates_and_times: { calendar_era: "use_bc_and_ad" }
} as const

export const uuid = Schema.String.check(Schema.isUUID())

/** An ISO 8601 time in UTC. */
const utcTime = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|\+00:00)$/))

/** The wire format that the specification requires of a list. */
const WireList = Schema.Struct({
  style_id: uuid,
  name: Schema.String,
  creation_time: utcTime,
  updated_time: utcTime,
  language: Schema.String,
  version: Schema.Int,
  configured_rules: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String)),
  custom_instructions: Schema.Array(Schema.Struct({ id: uuid, label: Schema.String, prompt: Schema.String }))
})

/** Fails unless a list has all fields, because the client accepts lists without optional fields. */
export const whole = (list: StyleRuleList): Effect.Effect<Required<StyleRuleList>, Mismatch> =>
  isWhole(list)
    ? Effect.succeed(list)
    : Effect.fail(new Mismatch({ expected: "a style rule list with all of its fields", got: show(list) }))

export const current = ({ styleId }: StyleRef) => StyleRules.use((service) => service.get({ styleId }))

/** A list without `updatedTime`, which is not reliable. */
const stateOf = (list: StyleRuleListEntry) => Struct.omit(list, ["updatedTime"])

/** Finds a list among all pages. */
const inPages = ({ styleId }: StyleRef, detailed: boolean) =>
  Effect.gen(function*() {
    const lists = yield* Stream.runCollect((yield* StyleRules).list({ detailed }))
    return yield* present("the list among all lists", lists.find((list) => list.styleId === styleId))
  })

/** Fails unless the service refuses an invalid list. Limits that the client would check first are lifted. */
const refusedList = (fields: Partial<StyleRules.CreateOptions> & { readonly what?: string }) =>
  refused(
    altered(
      {
        settings: {
          limits: {
            promptCharacters: Infinity,
            labelCharacters: Infinity,
            styleRuleListNameCharacters: Infinity,
            styleRuleLanguages: ["en", "xx"]
          }
        }
      },
      aList(fields)
    ),
    "BadRequest"
  )

export const styleLists: ReadonlyArray<Check> = [
  paidCheck("StyleRules: a list is created whole, with version 1", {
    source: "Style rules; Style rule list"
  }, function*() {
    const customInstructions = [
      { label: "Currency", prompt: "Put the currency sign before the amount.", sourceLanguage: "de" },
      { label: "Dates", prompt: "Write months out.", sourceLanguage: "en" }
    ]
    const list = yield* whole(yield* aList({ what: "whole", configuredRules: rules, customInstructions }))
    yield* same("the name", list.name, yield* nameOf("whole"))
    yield* same("the language", list.language, "en")
    yield* same("the version", list.version, 1)
    yield* same("the configured rules", list.configuredRules, rules)
    yield* same(
      "the instructions",
      list.customInstructions.map(({ label, prompt, sourceLanguage }) => ({ label, prompt, sourceLanguage })),
      customInstructions
    )
    yield* that(
      DateTime.isGreaterThanOrEqualTo(list.updatedTime, list.creationTime),
      "an update time that is not before the creation time",
      list
    )
  }),
  paidCheck("StyleRules: on the wire ids are UUIDs, times are in UTC, and a creation returns 201 with JSON", {
    source: "Style rule list"
  }, function*() {
    const name = yield* nameOf("wire")
    const answer = yield* send("POST", "/v3/style_rules", {
      body: {
        name,
        language: "en",
        configured_rules: rules,
        custom_instructions: [{ label: "Currency", prompt: "Put the sign first.", source_language: "de" }]
      }
    })
    const made = yield* read(Schema.Struct({ style_id: Schema.String }), answer, 201, 200)
    yield* removed(StyleId.make(made.style_id), name)
    yield* decode(WireList, answer.json)
    yield* isJson(answer)
  }),
  paidCheck("StyleRules: the language of a list is accepted in any case", {
    source: "Versioning 5"
  }, () => Effect.flatMap(aList({ language: "DE" }), (list) => same("the language", list.language, "de"))),
  paidCheck("StyleRules: a list is read as it was created, and reading does not change it", {
    source: "Style rules"
  }, function*() {
    const list = yield* aList({ configuredRules: rules })
    yield* same("the list", yield* current(list), list)
    yield* same("the list", yield* current(list), list)
  }),
  paidCheck("StyleRules: a rename changes the name only and raises the version by one", {
    source: "Style rules; Style rule list"
  }, function*() {
    const list = yield* whole(yield* aList({ configuredRules: rules }))
    const name = yield* nameOf("renamed")
    const renamed = yield* StyleRules.use((service) => service.rename({ styleId: list.styleId, name }))
    const expected = { ...stateOf(list), name, version: list.version + 1 }
    yield* same("the list", stateOf(renamed), expected)
    yield* same("the list that is got", stateOf(yield* current(list)), expected)
  }),
  paidCheck("StyleRules: new rules replace all others, leave the instructions, and raise the version by one", {
    source: "Style rules"
  }, function*() {
    const list = yield* whole(
      yield* aList({ configuredRules: rules, customInstructions: [{ label: "a", prompt: "b" }] })
    )
    const { replaceConfiguredRules } = yield* StyleRules
    for (const [index, configuredRules] of [{ punctuation: rules.punctuation }, {}].entries()) {
      const replaced = yield* replaceConfiguredRules({ styleId: list.styleId, configuredRules })
      yield* same("the rules", replaced.configuredRules, configuredRules)
      yield* same("the instructions", replaced.customInstructions, list.customInstructions)
      yield* same("the version", replaced.version, list.version + 1 + index)
    }
  }),
  paidCheck("StyleRules: a page has rules and instructions only with details", {
    source: "Style rules"
  }, function*() {
    const list = yield* aList({ configuredRules: rules, customInstructions: [{ label: "a", prompt: "b" }] })
    const summary = Struct.omit(stateOf(list), ["configuredRules", "customInstructions"])
    yield* same("the short entry", stateOf(yield* inPages(list, false)), summary)
    yield* same("the detailed entry", stateOf(yield* inPages(list, true)), stateOf(list))
  }),
  paidCheck("StyleRules: pages have the requested size, and are empty beyond the end", {}, function*() {
    yield* aList({ what: "one" })
    yield* aList({ what: "two" })
    const { listPage } = yield* StyleRules
    const first = yield* listPage({ page: 0, pageSize: 1 })
    const second = yield* listPage({ page: 1, pageSize: 1 })
    yield* same("the lengths of two pages of one", [first.length, second.length], [1, 1])
    yield* that(first[0]?.styleId !== second[0]?.styleId, "two pages with different lists", second[0]?.styleId)
    yield* same("the length of a page far beyond the end", (yield* listPage({ page: 100_000, pageSize: 25 })).length, 0)
  }),
  paidCheck("StyleRules: invalid pages are refused", { source: "Errors" }, () =>
    Effect.forEach(
      ["page_size=0", "page_size=26", "page=-1", "page=one"],
      (query) => Effect.flatMap(send("GET", `/v3/style_rules?${query}`), (answer) => refusal(answer, 400))
    )),
  paidCheck("StyleRules: a removed list is gone with its contents", {
    source: "Style rules"
  }, function*() {
    const list = yield* whole(yield* aList({ customInstructions: [{ label: "a", prompt: "b" }] }))
    const { styleId } = list
    const { instructionId } = yield* present("an instruction", list.customInstructions[0])
    const { getInstruction, remove } = yield* StyleRules
    yield* remove({ styleId })
    yield* refused(current(list), "NotFound")
    yield* refused(getInstruction({ styleId, instructionId }), "NotFound")
    yield* refused(remove({ styleId }), "NotFound")
  }),
  paidCheck("StyleRules: each request that names an unknown list is refused with 404", {}, function*() {
    const service = yield* StyleRules
    const styleId = StyleId.make(nothing)
    const item = { styleId, instructionId: InstructionId.make(nothing) }
    const text = { label: "a", prompt: "b", sourceLanguage: "en" }
    yield* refused(service.get({ styleId }), "NotFound")
    yield* refused(service.rename({ styleId, name: "a" }), "NotFound")
    yield* refused(service.remove({ styleId }), "NotFound")
    yield* refused(service.replaceConfiguredRules({ styleId, configuredRules: rules }), "NotFound")
    yield* refused(service.addInstruction({ styleId, ...text }), "NotFound")
    yield* refused(service.getInstruction(item), "NotFound")
    yield* refused(service.replaceInstruction({ ...item, ...text }), "NotFound")
    yield* refused(service.removeInstruction(item), "NotFound")
  }),
  paidCheck("StyleRules: a list needs a name, and a language that style rules have", {
    source: "Limits; Errors"
  }, function*() {
    yield* refusedList({ language: "xx" })
    const name = yield* nameOf("refused")
    for (const body of [{ name }, { language: "en" }, { name, language: 5 }, `{"name": "${name}", "lang`]) {
      yield* refusal(yield* send("POST", "/v3/style_rules", { body }), 400)
    }
  }),
  paidCheck("StyleRules: a list may have a language beyond the eight of the specification", {
    only: "2026-07"
  }, function*() {
    const name = yield* nameOf("nl")
    const answer = yield* send("POST", "/v3/style_rules", { body: { name, language: "nl" } })
    const made = yield* read(Schema.Struct({ style_id: Schema.String, language: Schema.String }), answer, 201, 200)
    yield* removed(StyleId.make(made.style_id), name)
    yield* same("the language", made.language, "nl")
  }),
  paidCheck(
    "StyleRules: a list with a prompt over 300 characters is refused",
    { source: "Limits" },
    () => refusedList({ customInstructions: [{ label: "a", prompt: "b".repeat(301) }] })
  ),
  paidCheck("StyleRules: a list with a name over 1024 characters, or a label over 100, is refused", {}, function*() {
    yield* refusedList({ what: "x".repeat(1024) })
    yield* refusedList({ customInstructions: [{ label: "a".repeat(101), prompt: "b" }] })
  })
]
