import { InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import { type BadRequest, NotFound } from "@effect-lingua/core/errors/ServiceError"
import { StyleRulesApi } from "@effect-lingua/core/extension/Resources"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { badRequest, malformed, notSupported } from "../answers.ts"
import * as Exchange from "../exchange.ts"
import { group } from "../group.ts"
import { newerOf } from "../languages/languageData.ts"
import type { NewStyleRuleList, StyleRuleList } from "../model.ts"
import { pageOf } from "../resources.ts"
import type { Fake, Settings } from "../state.ts"
import { handler, remove, step, tookEffect } from "../steps.ts"
import { canonicalCode, countCharacters } from "../text.ts"

type Instruction = StyleRuleList["customInstructions"][number]

interface InstructionRef {
  readonly styleId: StyleId
  readonly instructionId: InstructionId
}

interface InstructionInput {
  readonly label: string
  readonly prompt: string
  readonly sourceLanguage?: string | undefined
}

const findInstruction = (list: StyleRuleList, id: InstructionId): Result.Result<Instruction, NotFound> =>
  Result.fromNullishOr(
    list.customInstructions.find((candidate) => candidate.instructionId === id),
    () => new NotFound({ description: "Custom instruction not found" })
  )

const checkLength = (field: string, text: string, limit: number): Result.Result<void, BadRequest> =>
  countCharacters(text) <= limit
    ? Result.void
    : badRequest(`Bad request. Reason: ${field} is longer than ${limit} characters.`)

const checkInstruction = ({ limits }: Settings, { label, prompt }: InstructionInput): Result.Result<void, BadRequest> =>
  Result.andThen(
    checkLength("label", label, limits.labelCharacters),
    () => checkLength("prompt", prompt, limits.promptCharacters)
  )

const checkCount = ({ limits }: Settings, count: number): Result.Result<void, BadRequest> =>
  count <= limits.instructionsPerList
    ? Result.void
    : badRequest(`Bad request. Reason: a list has at most ${limits.instructionsPerList} instructions.`)

const checkLanguage = ({ dialect, limits }: Settings, language: string): Result.Result<string, BadRequest> => {
  const code = canonicalCode(language)
  const known = dialect.styleRuleLanguages === "any" ? "any" : limits.styleRuleLanguages
  return known === "any" || [...known, ...newerOf("style_rules", dialect)].some((one) => canonicalCode(one) === code)
    ? Result.succeed(code)
    : notSupported("language")
}

/** An instruction; the source language defaults to the list's language. */
const toInstruction = (id: string, input: InstructionInput, language: string): Instruction => ({
  instructionId: InstructionId.make(id),
  label: input.label,
  prompt: input.prompt,
  sourceLanguage: canonicalCode(input.sourceLanguage ?? language)
})

export const add = (
  fake: Fake,
  account: string,
  { configuredRules = {}, customInstructions = [], isShared, language, name, styleId }: Omit<
    NewStyleRuleList,
    "account"
  >,
  now: DateTime.Utc
): StyleRuleList => {
  const { ids } = fake.store
  const list = {
    styleId: styleId ?? StyleId.make(ids.uuid()),
    name,
    creationTime: now,
    updatedTime: now,
    language,
    version: 1,
    configuredRules,
    customInstructions: customInstructions.map((input) => toInstruction(ids.uuid(), input, language))
  }
  fake.store.styleLists.add(account, list.styleId, list, isShared)
  return list
}

const change = (
  fake: Fake,
  list: StyleRuleList,
  updatedTime: DateTime.Utc,
  changed: Partial<Pick<StyleRuleList, "name" | "configuredRules" | "customInstructions">>
): StyleRuleList => {
  const next = { ...list, ...changed, updatedTime, version: list.version + 1 }
  fake.store.styleLists.set(list.styleId, next)
  return next
}

const summary = (list: StyleRuleList) => Struct.omit(list, ["configuredRules", "customInstructions"])

const listsOf = ({ store }: Fake) => store.styleLists

const decodeReplacement = Schema.decodeUnknownEffect(Schema.fromJsonString(StyleRulesApi.InstructionReplacement))
const decodeNew = Schema.decodeUnknownEffect(Schema.fromJsonString(StyleRulesApi.NewInstruction))

const replace = handler(
  function*(
    { payload, ...ref }: InstructionRef & { readonly payload: InstructionInput },
    now,
    { account, fake, note }
  ) {
    const list = yield* fake.store.styleLists.find(account, ref.styleId)
    const { instructionId: id } = yield* findInstruction(list, ref.instructionId)
    yield* checkInstruction(fake.settings, payload)
    const instruction = toInstruction(id, payload, list.language)
    change(fake, list, now, {
      customInstructions: list.customInstructions.map((other) => other.instructionId === id ? instruction : other)
    })
    tookEffect(fake, note, id)
    return instruction
  }
)
export const layer = group("StyleRules", (handlers) =>
  // Decoded without the contract's schema, because a dialect may make a required field optional.
  handlers.handleRaw(
    "replaceInstruction",
    Effect.fnUntraced(function*({ params, request }) {
      const { fake: { settings: { dialect } } } = yield* Exchange.Current
      const decode = dialect.replacementNeedsSource === false ? decodeNew : decodeReplacement
      const payload = yield* Effect.mapError(decode(yield* Effect.orDie(request.text)), malformed)
      return yield* replace({ ...params, payload })
    })
  ).handleAll({
    create: handler(function*({ payload }, now, { account, fake, note }) {
      const { customInstructions = [], name } = payload
      const language = yield* checkLanguage(fake.settings, payload.language)
      yield* checkLength("name", name, fake.settings.limits.styleRuleListNameCharacters)
      for (const input of customInstructions) yield* checkInstruction(fake.settings, input)
      yield* checkCount(fake.settings, customInstructions.length)
      const list = add(fake, account, { ...payload, language }, now)
      tookEffect(fake, note, list.styleId)
      return list
    }),
    listPage: handler(function*({ query }, _now, { account, fake }) {
      const page = yield* pageOf(fake.store.styleLists.owned(account), query, fake.settings.limits.pageSize)
      return { styleRules: query.detailed === true ? page : page.map(summary) }
    }),
    get: ({ params }) => step((_now, { account, fake }) => fake.store.styleLists.find(account, params.styleId)),
    rename: handler(function*({ params, payload }, now, { account, fake, note }) {
      const list = yield* fake.store.styleLists.find(account, params.styleId)
      const name = payload.name ?? list.name
      yield* checkLength("name", name, fake.settings.limits.styleRuleListNameCharacters)
      tookEffect(fake, note, list.styleId)
      return change(fake, list, now, { name })
    }),
    remove: ({ params: { styleId } }) =>
      remove(listsOf, styleId, ({ account, fake }) => listsOf(fake).find(account, styleId)),
    replaceConfiguredRules: ({ params, payload }) =>
      step((now, { account, fake, note }) =>
        Result.map(fake.store.styleLists.find(account, params.styleId), (list) => {
          tookEffect(fake, note, list.styleId)
          return change(fake, list, now, { configuredRules: payload })
        })
      ),
    addInstruction: handler(function*({ params, payload }, now, { account, fake, note }) {
      const list = yield* fake.store.styleLists.find(account, params.styleId)
      yield* checkInstruction(fake.settings, payload)
      yield* checkCount(fake.settings, list.customInstructions.length + 1)
      const instruction = toInstruction(fake.store.ids.uuid(), payload, list.language)
      const changed = change(fake, list, now, { customInstructions: [...list.customInstructions, instruction] })
      tookEffect(fake, note, instruction.instructionId)
      return fake.settings.dialect.addedInstruction === "list" ? changed : instruction
    }),
    getInstruction: ({ params }) =>
      step((_now, { account, fake }) =>
        Result.andThen(
          fake.store.styleLists.find(account, params.styleId),
          (list) => findInstruction(list, params.instructionId)
        )
      ),
    removeInstruction: handler(function*({ params }, now, { account, fake, note }) {
      const list = yield* fake.store.styleLists.find(account, params.styleId)
      const { instructionId: id } = yield* findInstruction(list, params.instructionId)
      change(fake, list, now, {
        customInstructions: list.customInstructions.filter((other) => other.instructionId !== id)
      })
      tookEffect(fake, note, id)
    })
  }))
