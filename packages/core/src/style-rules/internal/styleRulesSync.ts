/** `plan` and `apply` of style rule lists, over the methods that make one call each. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { DuplicateStyleRules } from "../../client/CallError.ts"
import { checkItems, invalid, isId } from "../../client/internal/checks.ts"
import { concurrency, makeCalls, repeated, unreadable } from "../../client/internal/syncing.ts"
import type { CreateOptions, StyleRules } from "../StyleRules.ts"
import type { StyleRuleList, StyleRuleListEntry } from "../StyleRulesApi.ts"
import { format, type Plan, type PlanOptions, Step, type Synced, type WantedList } from "../StyleRulesPlan.ts"
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

/** No call changes the language of a list, so lists of one name and two languages are two. */
const isSame = (one: Named, other: Named): boolean =>
  one.name === other.name && one.language?.toLowerCase() === other.language?.toLowerCase()

/** Refuses options that no state of the service can satisfy. */
const checkWanted = Effect.fnUntraced(function*<E>(
  lists: ReadonlyArray<WantedList>,
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
      return yield* invalid(`${path}customInstructions[${label}].label`, "a label for the second time", "each once")
    }
  }
  const twice = repeated(lists, (one, other) =>
    isSame(one, other) ||
    (one.styleId !== undefined && other.styleId !== undefined && isId(one.styleId, other.styleId)))
  if (twice !== -1) {
    return yield* invalid(`lists[${twice}]`, "a list for the second time", "each name and language, and each id, once")
  }
})

/** The existing list that a desired one matches, if any. */
const matching = Effect.fnUntraced(function*(
  wanted: WantedList,
  index: number,
  lists: ReadonlyArray<WantedList>,
  there: ReadonlyArray<StyleRuleListEntry>
) {
  const { language, name, styleId } = wanted
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
    isSame(list, wanted) && !lists.some((other) => other.styleId !== undefined && isId(other.styleId, list.styleId))
  )
  if (found.length > 1) {
    return yield* new DuplicateStyleRules({ name, language, styleIds: found.map(({ styleId }) => styleId) })
  }
  return found[0]
})

/** Reads what is there and compares. */
export const plan = Effect.fnUntraced(function*<E>(
  { get, list }: Methods,
  checkList: (path: string, list: CreateOptions) => Effect.Effect<void, E>,
  { lists, removeOthers = false }: PlanOptions
) {
  yield* checkWanted(lists, checkList)
  const there = yield* Stream.runCollect(list({ detailed: true }))
  const whole = ({ configuredRules, customInstructions, ...summary }: StyleRuleListEntry) =>
    configuredRules === undefined || customInstructions === undefined
      ? get({ styleId: summary.styleId })
      : Effect.succeed<StyleRuleList>({ ...summary, configuredRules, customInstructions })
  const found = yield* Effect.forEach(
    lists,
    (wanted, index) => Effect.map(matching(wanted, index, lists, there), (list) => ({ wanted, list }))
  )
  const anonymous = there.find(({ language, name }) => name === "" || language === undefined)
  if (anonymous !== undefined && (removeOthers || found.some(({ list }) => list === undefined))) {
    return yield* unreadable("StyleRules.listPage", `the list ${anonymous.styleId} came without its name or language`)
  }
  const changes = yield* Effect.forEach(found, ({ list, wanted }) =>
    list === undefined
      ? Effect.succeed([])
      : Effect.flatMap(whole(list), (list) =>
        wanted.customInstructions !== undefined && list.customInstructions === undefined
          ? unreadable("StyleRules.get", `the custom_instructions of the list ${list.styleId} are not understood`)
          : Effect.succeed(Diff.changes(list, wanted))), { concurrency })
  const kept = new Set(found.flatMap(({ list }) => list === undefined ? [] : [list.styleId]))
  const steps: ReadonlyArray<Step> = [
    ...found.flatMap(({ list, wanted }) => list === undefined ? [Step.Create({ list: wanted.name, wanted })] : []),
    ...changes.flat(),
    ...(removeOthers ? there.filter(({ styleId }) => !kept.has(styleId)) : []).flatMap(({ language, name, styleId }) =>
      language === undefined ? [] : [Step.Remove({ list: name, language, styleId })]
    )
  ]
  const planned: Plan = {
    steps,
    lists: found.map(({ list, wanted: { language, name } }) =>
      list === undefined ? { name, language } : { name, language, styleId: list.styleId }
    )
  }
  return planned
})

/** A step that changes what is there. */
type Change = Exclude<Step, { readonly _tag: "Create" | "Remove" }>

/** Makes the calls of a plan. */
export const apply = Effect.fnUntraced(function*(methods: Methods, { lists, steps }: Plan) {
  const known = new Set(lists.flatMap(({ styleId }) => styleId === undefined ? [] : [styleId]))

  /** After a lost response the created object is looked for. An object that is not found may still appear. */
  const create = ({ wanted }: Extract<Step, { _tag: "Create" }>) =>
    methods.create(wanted).pipe(
      Effect.map(({ styleId }) => styleId),
      Effect.catchTag("OutcomeUnknown", (error) =>
        Effect.matchEffect(Stream.runCollect(methods.list()), {
          onFailure: () => Effect.fail(error),
          onSuccess: (there) => {
            const [found, another] = there.filter((list) => isSame(list, wanted) && !known.has(list.styleId))
            return found === undefined || another !== undefined ? Effect.fail(error) : Effect.succeed(found.styleId)
          }
        })),
      Effect.map((styleId) => ({ name: wanted.name, language: wanted.language, styleId }))
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
