/** `plan` and `apply` of style rule lists, over the methods that make one call each. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concurrency, createdIn, makeCalls, repeated, unreadable } from "../../call/internal/syncing.ts"
import { DuplicateStyleRules } from "../../errors/CallError.ts"
import { checkItems, invalid, isId } from "../../errors/internal/checks.ts"
import type { CreateOptions, StyleRules } from "../StyleRules.ts"
import { type DesiredList, format, type Plan, type PlanOptions, Step, type Synced } from "../StyleRulesPlan.ts"
import type { StyleRuleList, StyleRuleListEntry } from "./styleRulesApi.ts"
import * as Diff from "./styleRulesDiff.ts"

type Methods = Pick<
  StyleRules["Service"],
  | "addInstruction"
  | "create"
  | "get"
  | "list"
  | "remove"
  | "removeInstruction"
  | "rename"
  | "replaceConfiguredRules"
  | "replaceInstruction"
>

type ChangeFailure = Effect.Error<
  ReturnType<
    Methods["rename" | "replaceConfiguredRules" | "replaceInstruction" | "addInstruction" | "removeInstruction"]
  >
>

interface Named {
  readonly name: string
  readonly language?: string
}

/** The language of a list cannot be changed, so the same name in two languages means two lists. */
const isSame = (one: Named, other: Named): boolean =>
  one.name === other.name && one.language?.toLowerCase() === other.language?.toLowerCase()

/** Fails for options that no state of the service can satisfy. */
const checkDesired = Effect.fnUntraced(function*<E>(
  lists: ReadonlyArray<DesiredList>,
  checkList: (path: string, list: CreateOptions) => Effect.Effect<void, E>
) {
  yield* checkItems("lists", "lists", lists)
  for (const [index, list] of lists.entries()) {
    const path = `lists[${index}].`
    yield* checkList(path, list)
    const label = repeated(
      (list.customInstructions ?? []).map(({ label }) => label),
      (one, other) => one === other
    )
    if (label !== -1) {
      return yield* invalid(`${path}customInstructions[${label}].label`, "a repeated label", "each once")
    }
  }
  const twice = repeated(lists, (one, other) =>
    isSame(one, other) ||
    (one.styleId !== undefined && other.styleId !== undefined && isId(one.styleId, other.styleId)))
  if (twice !== -1) {
    return yield* invalid(`lists[${twice}]`, "a repeated list", "each name and language, and each id, once")
  }
})

/** The existing list that a desired one matches, if any. */
const matching = Effect.fnUntraced(function*(
  desired: DesiredList,
  index: number,
  lists: ReadonlyArray<DesiredList>,
  there: ReadonlyArray<StyleRuleListEntry>
) {
  const { language, name, styleId } = desired
  if (styleId !== undefined) {
    const found = there.find((list) => isId(list.styleId, styleId))
    if (found === undefined) return yield* invalid(`lists[${index}].styleId`, "an id that no list has", "one of a list")
    if (found.language !== undefined && found.language.toLowerCase() !== language.toLowerCase()) {
      return yield* invalid(
        `lists[${index}].language`,
        JSON.stringify(language),
        `${JSON.stringify(found.language)}, as the language of a list cannot be changed`
      )
    }
    return found
  }
  const found = there.filter((list) =>
    isSame(list, desired) && !lists.some((other) => other.styleId !== undefined && isId(other.styleId, list.styleId))
  )
  if (found.length > 1) {
    return yield* new DuplicateStyleRules({ name, language, styleIds: found.map(({ styleId }) => styleId) })
  }
  return found[0]
})

/** Reads the existing lists and compares. */
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
  const found = yield* Effect.forEach(
    lists,
    (desired, index) => Effect.map(matching(desired, index, lists, there), (list) => ({ desired, list }))
  )
  const anonymous = there.find(({ language, name }) => name === "" || language === undefined)
  if (anonymous !== undefined && (removeOthers || found.some(({ list }) => list === undefined))) {
    return yield* unreadable("StyleRules.listPage", `the list ${anonymous.styleId} has no name or no language`)
  }
  const changes = yield* Effect.forEach(found, ({ list, desired }) =>
    list === undefined
      ? Effect.succeed([])
      : Effect.flatMap(whole(list), (list) =>
        desired.customInstructions !== undefined && list.customInstructions === undefined
          ? unreadable("StyleRules.get", `the custom_instructions of the list ${list.styleId} are unreadable`)
          : Effect.succeed(Diff.changes(list, desired))), { concurrency })
  const kept = new Set(found.flatMap(({ list }) => list === undefined ? [] : [list.styleId]))
  const steps: ReadonlyArray<Step> = [
    ...found.flatMap(({ list, desired }) => list === undefined ? [Step.Create({ list: desired.name, desired })] : []),
    ...changes.flat(),
    ...(removeOthers ? there.filter(({ styleId }) => !kept.has(styleId)) : []).flatMap(({ language, name, styleId }) =>
      language === undefined ? [] : [Step.Remove({ list: name, language, styleId })]
    )
  ]
  const planned: Plan = {
    steps,
    lists: found.map(({ list, desired: { language, name } }) =>
      list === undefined ? { name, language } : { name, language, styleId: list.styleId }
    )
  }
  return planned
})

/** A step that changes an existing list. */
type Change = Exclude<Step, { readonly _tag: "Create" | "Remove" }>

/** Makes the calls of a plan. */
export const apply = Effect.fnUntraced(function*(methods: Methods, { lists, steps }: Plan) {
  const known = new Set(lists.flatMap(({ styleId }) => styleId === undefined ? [] : [styleId]))

  const create = ({ desired }: Extract<Step, { _tag: "Create" }>) =>
    methods.create(desired).pipe(
      Effect.catchTag("OutcomeUnknown", (error) =>
        createdIn(methods.list(), error, (list) => isSame(list, desired) && !known.has(list.styleId))),
      Effect.map(({ styleId }) => ({ name: desired.name, language: desired.language, styleId }))
    )

  const add = ({ instruction, styleId }: Extract<Step, { _tag: "AddInstruction" }>) =>
    Effect.catchTag(
      methods.addInstruction({ styleId, ...instruction }),
      "OutcomeUnknown",
      (error) =>
        Effect.matchEffect(methods.get({ styleId }), {
          onFailure: () => Effect.fail(error),
          onSuccess: ({ customInstructions }) =>
            customInstructions?.some(({ label, prompt }) =>
                label === instruction.label && prompt === instruction.prompt
              )
              ? Effect.void
              : Effect.fail(error)
        })
    )

  const change = (step: Change): Effect.Effect<void, ChangeFailure> => {
    switch (step._tag) {
      case "Rename":
        return Effect.asVoid(methods.rename({ styleId: step.styleId, name: step.name }))
      case "ReplaceRules":
        return Effect.asVoid(
          methods.replaceConfiguredRules({ styleId: step.styleId, configuredRules: step.configuredRules })
        )
      case "ReplaceInstruction": {
        const { instructionId, label, prompt, sourceLanguage, styleId } = step
        return Effect.asVoid(
          methods.replaceInstruction({ styleId, instructionId, label, prompt, sourceLanguage })
        )
      }
      case "AddInstruction":
        return Effect.asVoid(add(step))
      case "RemoveInstruction":
        return Effect.catchTag(
          methods.removeInstruction({ styleId: step.styleId, instructionId: step.instructionId }),
          "NotFound",
          () => Effect.void
        )
    }
  }

  const created = yield* makeCalls(steps, format, {
    creates: steps.filter((step) => Step.$is("Create")(step)),
    create,
    changes: steps.filter((step): step is Change => step._tag !== "Create" && step._tag !== "Remove"),
    idOf: (step) => step.styleId,
    change,
    removes: steps.filter((step) => Step.$is("Remove")(step)),
    remove: ({ styleId }) => Effect.catchTag(methods.remove({ styleId }), "NotFound", () => Effect.void)
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
