/** `plan` and `apply` of style rule lists. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Operations from "../../call/internal/operation.ts"
import {
  type ChangeOf,
  checkUnique,
  concurrency,
  createdIn,
  creationsFirst,
  makeCalls,
  match,
  repeated,
  unreadable
} from "../../call/internal/syncing.ts"
import { DuplicateStyleRules, type LimitExceeded } from "../../errors/CallError.ts"
import { checkItems, invalid } from "../../errors/internal/checks.ts"
import type { ConfiguredRules } from "../ConfiguredRules.ts"
import { type DesiredList, format, type Plan, type PlanOptions, Step, type Synced } from "../StyleRulesPlan.ts"
import type {
  CreateOptions,
  CustomInstruction,
  InstructionOptions,
  NewInstruction,
  StyleRuleList,
  StyleRuleListEntry,
  StyleRulesApi
} from "./styleRulesApi.ts"
import * as Diff from "./styleRulesDiff.ts"

type Api = typeof StyleRulesApi

type GetError = Operations.Errors<Api, "get">["call"]

/** The errors of the calls of a plan. */
export type ApplyError = Operations.Union<
  | Operations.Errors<Api, "create" | "addInstruction", LimitExceeded>["create"]
  | Operations.Errors<Api, "rename" | "replaceInstruction", LimitExceeded>["call"]
>["members"]

interface Methods {
  readonly create: (options: CreateOptions) => Effect.Effect<StyleRuleList, ApplyError>
  readonly list: (options?: { readonly detailed: boolean }) => Stream.Stream<StyleRuleListEntry, GetError>
  readonly get: (list: Ref) => Effect.Effect<StyleRuleList, GetError>
  readonly rename: (options: Ref & { readonly name: string }) => Effect.Effect<unknown, ApplyError>
  readonly remove: (list: Ref) => Effect.Effect<void, GetError>
  readonly replaceConfiguredRules: (
    options: Ref & { readonly configuredRules: ConfiguredRules }
  ) => Effect.Effect<unknown, ApplyError>
  readonly addInstruction: (options: Ref & InstructionOptions) => Effect.Effect<unknown, ApplyError>
  readonly replaceInstruction: (
    options: InstructionRef & Required<NewInstruction>
  ) => Effect.Effect<unknown, ApplyError>
  readonly removeInstruction: (instruction: InstructionRef) => Effect.Effect<void, GetError>
}

type Ref = Pick<StyleRuleList, "styleId">

type InstructionRef = Ref & Pick<CustomInstruction, "instructionId">

interface Named {
  readonly name: string
  readonly language?: string
}

/** The language of a list cannot be changed. */
const isSame = (one: Named, other: Named): boolean =>
  one.name === other.name && one.language?.toLowerCase() === other.language?.toLowerCase()

const kind = {
  option: "lists",
  noun: "list",
  idName: "styleId",
  idOf: ({ styleId }: DesiredList | StyleRuleListEntry) => styleId,
  isSame,
  unique: "each name and language, and each id, once",
  duplicate: ({ language, name }: DesiredList, found: ReadonlyArray<StyleRuleListEntry>) =>
    new DuplicateStyleRules({ name, language, styleIds: found.map(({ styleId }) => styleId) }),
  listed: "StyleRules.listPage",
  lacks: ({ language, name }: StyleRuleListEntry) =>
    name === "" || language === undefined ? "name or no language" : undefined
}

const checkDesired = Effect.fnUntraced(function*<E>(
  lists: ReadonlyArray<DesiredList>,
  checkList: (path: string, list: CreateOptions) => Effect.Effect<void, E>
) {
  yield* checkItems("lists", "lists", lists)
  for (const [index, list] of lists.entries()) {
    const path = `lists[${index}].`
    yield* checkList(path, list)
    const label = repeated(list.customInstructions ?? [], (one, other) => one.label === other.label)
    if (label !== -1) {
      return yield* invalid(`${path}customInstructions[${label}].label`, "a repeated label", "each once")
    }
  }
  yield* checkUnique(kind, lists)
})

export const plan = Effect.fnUntraced(function*<E>(
  { get, list }: Methods,
  checkList: (path: string, list: CreateOptions) => Effect.Effect<void, E>,
  { lists, removeOthers = false }: PlanOptions
) {
  yield* checkDesired(lists, checkList)
  const there = yield* Stream.runCollect(list({ detailed: true }))
  const whole = ({ configuredRules, customInstructions, ...summary }: StyleRuleListEntry) =>
    configuredRules === undefined || customInstructions === undefined
      ? get({ styleId: summary.styleId })
      : Effect.succeed<StyleRuleList>({ ...summary, configuredRules, customInstructions })
  const { found, others } = yield* match(kind, lists, there, removeOthers)
  for (const [index, { desired: { language }, existing }] of found.entries()) {
    if (existing?.language !== undefined && existing.language.toLowerCase() !== language.toLowerCase()) {
      return yield* invalid(
        `lists[${index}].language`,
        JSON.stringify(language),
        `${JSON.stringify(existing.language)}, because the language of a list cannot be changed`
      )
    }
  }
  const steps = yield* Effect.forEach(found, ({ desired, existing }) =>
    existing === undefined
      ? Effect.succeed([Step.Create({ list: desired.name, desired })])
      : Effect.flatMap(whole(existing), (list) =>
        desired.customInstructions !== undefined && list.customInstructions === undefined
          ? unreadable("StyleRules.get", `the custom_instructions of the list ${list.styleId} are unreadable`)
          : Effect.succeed(Diff.changes(list, desired))), { concurrency })
  const planned: Plan = {
    steps: [
      ...creationsFirst(steps.flat()),
      ...others.flatMap(({ language, name, styleId }) =>
        language === undefined ? [] : [Step.Remove({ list: name, language, styleId })]
      )
    ],
    lists: found.map(({ desired: { language, name }, existing }) =>
      existing === undefined ? { name, language } : { name, language, styleId: existing.styleId }
    )
  }
  return planned
})

export const apply = Effect.fnUntraced(function*(methods: Methods, { lists, steps }: Plan) {
  const known = new Set(lists.flatMap(({ styleId }) => styleId === undefined ? [] : [styleId]))

  const create = ({ desired }: Extract<Step, { _tag: "Create" }>) =>
    methods.create(desired).pipe(
      Effect.catchTag("OutcomeUnknown", (error) =>
        createdIn(methods.list(), error, (list) => isSame(list, desired) && !known.has(list.styleId))),
      Effect.map(({ styleId }) => ({ name: desired.name, language: desired.language, styleId }))
    )

  const add = ({ instruction, styleId }: Extract<Step, { _tag: "AddInstruction" }>) =>
    methods.addInstruction({ styleId, ...instruction }).pipe(
      Effect.catchTag("OutcomeUnknown", (error) =>
        Effect.matchEffect(methods.get({ styleId }), {
          onFailure: () => Effect.fail(error),
          onSuccess: ({ customInstructions = [] }) =>
            customInstructions.some(({ label, prompt }) => label === instruction.label && prompt === instruction.prompt)
              ? Effect.void
              : Effect.fail(error)
        }))
    )

  const change = (step: ChangeOf<Step>): Effect.Effect<unknown, ApplyError> => {
    switch (step._tag) {
      case "Rename":
        return methods.rename(step)
      case "ReplaceRules":
        return methods.replaceConfiguredRules(step)
      case "ReplaceInstruction":
        return methods.replaceInstruction(step)
      case "AddInstruction":
        return add(step)
      case "RemoveInstruction":
        return Effect.catchTag(methods.removeInstruction(step), "NotFound", () => Effect.void)
    }
  }

  const created = yield* makeCalls(steps, format, {
    create,
    change: (step) => Effect.asVoid(change(step)),
    idOf: (step) => step.styleId,
    remove: (step) => Effect.catchTag(methods.remove(step), "NotFound", () => Effect.void)
  })
  const synced: Synced = {
    steps,
    lists: lists.flatMap(({ language, name, styleId }) => {
      const id = styleId ?? created.find((list) => isSame(list, { name, language }))?.styleId
      return id === undefined ? [] : [{ name, language, styleId: id }]
    })
  }
  return synced
})
