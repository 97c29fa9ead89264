/**
 * A model of style rule lists, and a command for each of their operations: for the fake, for the service itself, and for
 * whatever stands between a program and them.
 *
 * **Example** (The fake agrees with the model)
 *
 * ```ts import.meta.vitest
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as ModelBased from "@effect-lingua/testing/models/ModelBased"
 * import * as StyleRulesModel from "@effect-lingua/testing/models/StyleRulesModel"
 * import { Effect } from "effect"
 *
 * const { runs } = await ModelBased.check({
 *   layer: FakeLanguageService.layerServices(),
 *   setup: Effect.succeed(StyleRulesModel.empty),
 *   commands: StyleRulesModel.commands,
 *   runs: 10
 * }).pipe(Effect.runPromise)
 * runs // => 10
 * ```
 *
 * @since 0.1.0
 */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import * as Limits from "@effect-lingua/core/client/Limits"
import {
  type InstructionOptions,
  type InstructionRef,
  type StyleRef,
  StyleRules
} from "@effect-lingua/core/style-rules/StyleRules"
import {
  type CustomInstruction,
  InstructionId,
  StyleId,
  type StyleRuleList,
  type StyleRuleListEntry
} from "@effect-lingua/core/style-rules/StyleRulesApi"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { StyleRuleList as WholeList } from "../fake/internal/model.ts"
import { isWhole } from "../fake/internal/schemas.ts"
import { canonicalCode } from "../fake/internal/text.ts"
import * as Generators from "../generators/Generators.ts"
import * as ModelBased from "./ModelBased.ts"

/**
 * A list as the service has it. A removed one stays in the model, so that commands can name it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelList extends WholeList {
  readonly removed: boolean
  readonly removedInstructions: ReadonlyArray<InstructionId>
  /** True if the list was changed by a call whose answer does not contain the time. */
  readonly changed: boolean
}

/**
 * All lists, in the order in which they were made, and how many instructions one can have.
 *
 * @category models
 * @since 0.1.0
 */
export interface Model {
  readonly lists: ReadonlyArray<ModelList>
  readonly instructionsPerList: number
}

/**
 * The model of a service without lists, with the limits of the specification.
 *
 * @category constructors
 * @since 0.1.0
 */
export const empty: Model = { lists: [], instructionsPerList: Limits.defaults.instructionsPerList }

type Instruction = typeof CustomInstruction.Type
type Timed = Pick<StyleRuleList, "updatedTime">

/** The model knows a service that keeps its promises. */
const kept = (list: StyleRuleList): Effect.Effect<WholeList> =>
  isWhole(list) ? Effect.succeed(list) : Effect.die(new Error("a style rule list came without all of its fields"))

const find = ({ lists }: Model, { styleId }: StyleRef): ModelList | undefined =>
  lists.find((list) => list.styleId === styleId && !list.removed)

const findInstruction = (model: Model, ref: InstructionRef) => {
  const list = find(model, ref)
  const instruction = list?.customInstructions.find(({ id }) => id === ref.instructionId)
  return list === undefined || instruction === undefined ? undefined : { list, instruction }
}

const change = (model: Model, list: ModelList, changed: Partial<ModelList>): Model => ({
  ...model,
  lists: model.lists.map((other) => other.styleId === list.styleId ? { ...other, ...changed } : other)
})

/** The model after a change whose answer does not show the list. */
const touch = (model: Model, list: ModelList, changed: Partial<ModelList>): Model =>
  change(model, list, { ...changed, version: list.version + 1, changed: true })

/** A change whose answer is the list. */
const changing = (model: Model, list: ModelList, changed: Partial<WholeList>) => ({
  succeeds: (came: WholeList): WholeList => ({
    ...whole({ ...list, ...changed, changed: true }, came),
    version: list.version + 1
  }),
  next: (came: WholeList): Model => change(model, list, { ...came, changed: false })
})

const same = <A>(came: A): A => came

/** A time that is not known yet is that of the answer, if that is not before the last one known. */
const whole = (list: ModelList, came: Timed = list): WholeList => ({
  ...Struct.omit(list, ["changed", "removed", "removedInstructions"]),
  updatedTime: list.changed && came.updatedTime !== undefined
    ? DateTime.max(list.updatedTime, came.updatedTime)
    : list.updatedTime
})

/** An entry of a page: what was not asked for is not there. */
const entry = (list: ModelList, came: Timed | undefined, detailed: boolean | undefined): StyleRuleListEntry => {
  const { configuredRules, customInstructions, ...summary } = whole(list, came)
  return detailed === true ? { ...summary, configuredRules, customInstructions } : summary
}

/** An instruction as it comes back. A missing source language is that of the list. */
const stored = (
  id: InstructionId,
  sent: InstructionOptions,
  { language }: Pick<WholeList, "language">
): Instruction => ({
  id,
  label: sent.label,
  prompt: sent.prompt,
  sourceLanguage: canonicalCode(sent.sourceLanguage ?? language)
})

/** The id that came, if nothing has it yet. */
const newId = <Id extends string>(came: Id | undefined, taken: ReadonlyArray<Id>, otherwise: Id): Id =>
  came === undefined || taken.includes(came) ? otherwise : came

const anotherList = StyleId.make("an id that no list has")
const anotherInstruction = InstructionId.make("an id that no instruction has")

const instructionsOf = (list: ModelList): ReadonlyArray<InstructionId> => [
  ...list.customInstructions.map(({ id }) => id),
  ...list.removedInstructions
]

const define = ModelBased.command<Model>()

const notFound = { fails: "NotFound" } as const
const full = { fails: "QuotaExceeded" } as const

interface ListInput<A extends StyleRef> {
  readonly list: number
  readonly request: A
}

interface InstructionInput<A extends InstructionRef> extends ListInput<A> {
  readonly instruction: number
}

/** The id that is generated belongs to nothing. */
const onList = <A extends StyleRef>(model: Model, { list, request }: ListInput<A>): A | undefined => {
  const styleId = ModelBased.pick(model.lists.map(({ styleId }) => styleId), list, request.styleId)
  return styleId === undefined ? undefined : { ...request, styleId }
}

const onInstruction = <A extends InstructionRef>(model: Model, input: InstructionInput<A>): A | undefined => {
  const request = onList(model, input)
  const ids = model.lists.filter(({ styleId }) => styleId === request?.styleId).flatMap(instructionsOf)
  const instructionId = ModelBased.pick(ids, input.instruction, input.request.instructionId)
  return request === undefined || instructionId === undefined ? undefined : { ...request, instructionId }
}

const reference = ModelBased.reference

/** Small numbers, so that what happens at the edge of a list or of a page happens often. */
const few = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })))

/**
 * Creates a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const create: ModelBased.Command<Model, StyleRules> = define({
  name: "create",
  weight: 2,
  input: Arbitrary.all({ request: Generators.request("StyleRules.create"), few }),
  resolve: (_model, { few, request }) => ({
    ...request,
    ...(request.customInstructions === undefined
      ? undefined
      : { customInstructions: request.customInstructions.slice(0, few) })
  }),
  run: (args) => StyleRules.use((rules) => Effect.flatMap(rules.create(args), kept)),
  expect: (model, { configuredRules = {}, customInstructions = [], language, name }) => {
    if (customInstructions.length > model.instructionsPerList) return full
    const { lists } = model
    return {
      succeeds: (came) => ({
        styleId: newId(came.styleId, lists.map(({ styleId }) => styleId), anotherList),
        name,
        creationTime: came.creationTime,
        updatedTime: came.creationTime,
        language: language.toLowerCase(),
        version: 1,
        configuredRules,
        customInstructions: customInstructions.map((sent, index) =>
          stored(
            newId(
              came.customInstructions[index]?.id,
              [...lists.flatMap(instructionsOf), ...came.customInstructions.slice(0, index).map(({ id }) => id)],
              anotherInstruction
            ),
            sent,
            { language: language.toLowerCase() }
          )
        )
      }),
      next: (came) => ({
        ...model,
        lists: [...lists, { ...came, removed: false, removedInstructions: [], changed: false }]
      })
    }
  }
})

/**
 * Gets a page of lists, with details or without.
 *
 * @category commands
 * @since 0.1.0
 */
export const listPage: ModelBased.Command<Model, StyleRules> = define({
  name: "listPage",
  input: Arbitrary.all({ request: Generators.request("StyleRules.listPage"), few }),
  resolve: (_model, { few, request }) => few === 0 ? request : { ...request, pageSize: few },
  run: (args) => StyleRules.use((rules) => rules.listPage(args)),
  expect: ({ lists }, { detailed, page = 0, pageSize = 10 }) => ({
    succeeds: (came) =>
      lists.filter(({ removed }) => !removed).slice(page * pageSize, (page + 1) * pageSize)
        .map((list, index) => entry(list, came[index], detailed))
  })
})

/**
 * Gets all lists, page by page.
 *
 * @category commands
 * @since 0.1.0
 */
export const list: ModelBased.Command<Model, StyleRules> = define({
  name: "list",
  input: Generators.request("StyleRules.listPage"),
  resolve: (_model, { detailed }) => ({ detailed }),
  run: (args) => StyleRules.use((rules) => Stream.runCollect(rules.list(args))),
  expect: ({ lists }, { detailed }) => ({
    succeeds: (came) => lists.filter(({ removed }) => !removed).map((list, index) => entry(list, came[index], detailed))
  })
})

/**
 * Gets a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const get: ModelBased.Command<Model, StyleRules> = define({
  name: "get",
  weight: 2,
  input: Arbitrary.all({ list: reference, request: Generators.request("StyleRules.get") }),
  resolve: (model, input) => onList(model, input),
  run: (args) => StyleRules.use((rules) => Effect.flatMap(rules.get(args), kept)),
  expect: (model, args) => {
    const list = find(model, args)
    return list === undefined ? notFound : {
      succeeds: (came) => whole(list, came),
      next: (came) => change(model, list, { updatedTime: came.updatedTime, changed: false })
    }
  }
})

/**
 * Changes the name of a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const rename: ModelBased.Command<Model, StyleRules> = define({
  name: "rename",
  input: Arbitrary.all({ list: reference, request: Generators.request("StyleRules.rename") }),
  resolve: (model, input) => onList(model, input),
  run: (args) => StyleRules.use((rules) => Effect.flatMap(rules.rename(args), kept)),
  expect: (model, args) => {
    const list = find(model, args)
    return list === undefined ? notFound : changing(model, list, { name: args.name })
  }
})

/**
 * Replaces the configured rules of a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const replaceConfiguredRules: ModelBased.Command<Model, StyleRules> = define({
  name: "replaceConfiguredRules",
  input: Arbitrary.all({ list: reference, request: Generators.request("StyleRules.replaceConfiguredRules") }),
  resolve: (model, input) => onList(model, input),
  run: (args) => StyleRules.use((rules) => Effect.flatMap(rules.replaceConfiguredRules(args), kept)),
  expect: (model, args) => {
    const list = find(model, args)
    return list === undefined ? notFound : changing(model, list, { configuredRules: args.configuredRules })
  }
})

/**
 * Deletes a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const remove: ModelBased.Command<Model, StyleRules> = define({
  name: "remove",
  input: Arbitrary.all({ list: reference, request: Generators.request("StyleRules.remove") }),
  resolve: (model, input) => onList(model, input),
  run: (args) => StyleRules.use((rules) => rules.remove(args)),
  expect: (model, args) => {
    const list = find(model, args)
    return list === undefined ? notFound : { succeeds: same, next: () => change(model, list, { removed: true }) }
  }
})

/**
 * Adds an instruction to a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const addInstruction: ModelBased.Command<Model, StyleRules> = define({
  name: "addInstruction",
  weight: 3,
  input: Arbitrary.all({ list: reference, request: Generators.request("StyleRules.addInstruction") }),
  resolve: (model, input) => onList(model, input),
  run: (args) => StyleRules.use((rules) => rules.addInstruction(args)),
  expect: (model, args) => {
    const list = find(model, args)
    if (list === undefined) return notFound
    return list.customInstructions.length >= model.instructionsPerList ? full : {
      succeeds: (came) => stored(newId(came.id, model.lists.flatMap(instructionsOf), anotherInstruction), args, list),
      next: (came) => touch(model, list, { customInstructions: [...list.customInstructions, came] })
    }
  }
})

/**
 * Gets an instruction.
 *
 * @category commands
 * @since 0.1.0
 */
export const getInstruction: ModelBased.Command<Model, StyleRules> = define({
  name: "getInstruction",
  input: Arbitrary.all({
    list: reference,
    instruction: reference,
    request: Generators.request("StyleRules.getInstruction")
  }),
  resolve: (model, input) => onInstruction(model, input),
  run: (args) => StyleRules.use((rules) => rules.getInstruction(args)),
  expect: (model, args) => {
    const found = findInstruction(model, args)
    return found === undefined ? notFound : { succeeds: () => found.instruction }
  }
})

/**
 * Replaces an instruction in its place.
 *
 * @category commands
 * @since 0.1.0
 */
export const replaceInstruction: ModelBased.Command<Model, StyleRules> = define({
  name: "replaceInstruction",
  weight: 2,
  input: Arbitrary.all({
    list: reference,
    instruction: reference,
    request: Generators.request("StyleRules.replaceInstruction")
  }),
  resolve: (model, input) => onInstruction(model, input),
  run: (args) => StyleRules.use((rules) => rules.replaceInstruction(args)),
  expect: (model, args) => {
    const found = findInstruction(model, args)
    return found === undefined ? notFound : {
      succeeds: () => stored(args.instructionId, args, found.list),
      next: (came) =>
        touch(model, found.list, {
          customInstructions: found.list.customInstructions.map((other) => other.id === came.id ? came : other)
        })
    }
  }
})

/**
 * Removes an instruction.
 *
 * @category commands
 * @since 0.1.0
 */
export const removeInstruction: ModelBased.Command<Model, StyleRules> = define({
  name: "removeInstruction",
  weight: 2,
  input: Arbitrary.all({
    list: reference,
    instruction: reference,
    request: Generators.request("StyleRules.removeInstruction")
  }),
  resolve: (model, input) => onInstruction(model, input),
  run: (args) => StyleRules.use((rules) => rules.removeInstruction(args)),
  expect: (model, args) => {
    const found = findInstruction(model, args)
    return found === undefined ? notFound : {
      succeeds: same,
      next: () =>
        touch(model, found.list, {
          customInstructions: found.list.customInstructions.filter(({ id }) => id !== args.instructionId),
          removedInstructions: [...found.list.removedInstructions, args.instructionId]
        })
    }
  }
})

/**
 * A command for each operation, and one for the listing of all pages.
 *
 * @category commands
 * @since 0.1.0
 */
export const commands: ReadonlyArray<ModelBased.Command<Model, StyleRules>> = [
  create,
  listPage,
  list,
  get,
  rename,
  replaceConfiguredRules,
  remove,
  addInstruction,
  getInstruction,
  replaceInstruction,
  removeInstruction
]
