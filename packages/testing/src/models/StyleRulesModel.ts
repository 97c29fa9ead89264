/**
 * A model of style rule lists, with a command for each of their operations. It can check the fake, the service itself, and
 * anything in between, such as a proxy.
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
  /** True if the list was changed by a call whose response does not contain the time. */
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

/** The model requires all fields that the specification promises. */
const kept = (list: StyleRuleList): Effect.Effect<WholeList> =>
  isWhole(list) ? Effect.succeed(list) : Effect.die(new Error("a style rule list lacks fields"))

const find = ({ lists }: Model, { styleId }: StyleRef): ModelList | undefined =>
  lists.find((list) => list.styleId === styleId && !list.removed)

const findInstruction = (model: Model, ref: InstructionRef) => {
  const list = find(model, ref)
  const instruction = list?.customInstructions.find(({ instructionId }) => instructionId === ref.instructionId)
  return list === undefined || instruction === undefined ? undefined : { list, instruction }
}

const change = (model: Model, list: ModelList, changed: Partial<ModelList>): Model => ({
  ...model,
  lists: model.lists.map((other) => other.styleId === list.styleId ? { ...other, ...changed } : other)
})

/** The model after a change whose response does not contain the list. */
const touch = (model: Model, list: ModelList, changed: Partial<ModelList>): Model =>
  change(model, list, { ...changed, version: list.version + 1, changed: true })

/** A change whose response is the list. */
const changing = (model: Model, list: ModelList, changed: Partial<WholeList>) => ({
  succeeds: (actual: WholeList): WholeList => ({
    ...whole({ ...list, ...changed, changed: true }, actual),
    version: list.version + 1
  }),
  next: (actual: WholeList): Model => change(model, list, { ...actual, changed: false })
})

const same = <A>(actual: A): A => actual

/** An unknown time is that of the response, if that is not before the last known one. */
const whole = (list: ModelList, actual: Timed = list): WholeList => ({
  ...Struct.omit(list, ["changed", "removed", "removedInstructions"]),
  updatedTime: list.changed && actual.updatedTime !== undefined
    ? DateTime.max(list.updatedTime, actual.updatedTime)
    : list.updatedTime
})

/** An entry of a page, with details only on request. */
const entry = (list: ModelList, actual: Timed | undefined, detailed: boolean | undefined): StyleRuleListEntry => {
  const { configuredRules, customInstructions, ...summary } = whole(list, actual)
  return detailed === true ? { ...summary, configuredRules, customInstructions } : summary
}

/** An instruction in a response. A missing source language is that of the list. */
const stored = (
  instructionId: InstructionId,
  sent: InstructionOptions,
  { language }: Pick<WholeList, "language">
): Instruction => ({
  instructionId,
  label: sent.label,
  prompt: sent.prompt,
  sourceLanguage: canonicalCode(sent.sourceLanguage ?? language)
})

/** The id of the response, if it is new. */
const newId = <Id extends string>(actual: Id | undefined, taken: ReadonlyArray<Id>, otherwise: Id): Id =>
  actual === undefined || taken.includes(actual) ? otherwise : actual

const anotherList = StyleId.make("an id that no list has")
const anotherInstruction = InstructionId.make("an id that no instruction has")

const instructionsOf = (list: ModelList): ReadonlyArray<InstructionId> => [
  ...list.customInstructions.map(({ instructionId }) => instructionId),
  ...list.removedInstructions
]

const define = ModelBased.command<Model>()

const full = { fails: "BadRequest" } as const

/** An operation on a list or an instruction, with the expectation for one that exists. */
interface On<Request, Found, A, Tag extends string> {
  readonly name: string
  readonly weight?: number
  readonly request: Arbitrary.Arbitrary<Request>
  readonly run: (rules: StyleRules["Service"], request: Request) => Effect.Effect<A, { readonly _tag: Tag }>
  readonly expect: (model: Model, found: Found, request: Request) => ModelBased.Expectation<Model, A, Tag>
}

interface Input<Request> {
  readonly list: number
  readonly instruction: number
  readonly request: Request
}

/** Makes commands of operations. The generated ids do not exist. */
const on = <Ref, Found>(
  resolve: <Request extends Ref>(model: Model, input: Input<Request>) => Request | undefined,
  find: (model: Model, ref: Ref) => Found | undefined
) =>
<Request extends Ref, A, Tag extends string>(
  { expect, request, run, ...options }: On<Request, Found, A, Tag>
): ModelBased.Command<Model, StyleRules> =>
  define({
    ...options,
    input: Arbitrary.all({ list: ModelBased.reference, instruction: ModelBased.reference, request }),
    resolve: (model, input) => resolve(model, input),
    run: (request): Effect.Effect<A, { readonly _tag: Tag | "NotFound" }, StyleRules> =>
      StyleRules.use((rules) => run(rules, request)),
    expect: (model, request): ModelBased.Expectation<Model, A, Tag | "NotFound"> => {
      const found = find(model, request)
      return found === undefined ? { fails: "NotFound" } : expect(model, found, request)
    }
  })

const ofList = <A extends StyleRef>({ lists }: Model, { list, request }: Input<A>): A | undefined => {
  const styleId = ModelBased.pick(lists.map(({ styleId }) => styleId), list, request.styleId)
  return styleId === undefined ? undefined : { ...request, styleId }
}

const ofInstruction = <A extends InstructionRef>(model: Model, input: Input<A>): A | undefined => {
  const request = ofList(model, input)
  const ids = model.lists.filter(({ styleId }) => styleId === request?.styleId).flatMap(instructionsOf)
  const instructionId = ModelBased.pick(ids, input.instruction, input.request.instructionId)
  return request === undefined || instructionId === undefined ? undefined : { ...request, instructionId }
}

const onList = on(ofList, find)

const onInstruction = on(ofInstruction, findInstruction)

/** Small numbers, so that the edges of lists and pages are reached often. */
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
      succeeds: (actual) => ({
        styleId: newId(actual.styleId, lists.map(({ styleId }) => styleId), anotherList),
        name,
        creationTime: actual.creationTime,
        updatedTime: actual.creationTime,
        language: language.toLowerCase(),
        version: 1,
        configuredRules,
        customInstructions: customInstructions.map((sent, index) =>
          stored(
            newId(
              actual.customInstructions[index]?.instructionId,
              [
                ...lists.flatMap(instructionsOf),
                ...actual.customInstructions.slice(0, index).map(({ instructionId }) => instructionId)
              ],
              anotherInstruction
            ),
            sent,
            { language: language.toLowerCase() }
          )
        )
      }),
      next: (actual) => ({
        ...model,
        lists: [...lists, { ...actual, removed: false, removedInstructions: [], changed: false }]
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
    succeeds: (actual) =>
      lists.filter(({ removed }) => !removed).slice(page * pageSize, (page + 1) * pageSize)
        .map((list, index) => entry(list, actual[index], detailed))
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
    succeeds: (actual) =>
      lists.filter(({ removed }) => !removed).map((list, index) => entry(list, actual[index], detailed))
  })
})

/**
 * Gets a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const get: ModelBased.Command<Model, StyleRules> = onList({
  name: "get",
  weight: 2,
  request: Generators.request("StyleRules.get"),
  run: (rules, request) => Effect.flatMap(rules.get(request), kept),
  expect: (model, list) => ({
    succeeds: (actual) => whole(list, actual),
    next: (actual) => change(model, list, { updatedTime: actual.updatedTime, changed: false })
  })
})

/**
 * Changes the name of a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const rename: ModelBased.Command<Model, StyleRules> = onList({
  name: "rename",
  request: Generators.request("StyleRules.rename"),
  run: (rules, request) => Effect.flatMap(rules.rename(request), kept),
  expect: (model, list, { name }) => changing(model, list, { name })
})

/**
 * Replaces the configured rules of a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const replaceConfiguredRules: ModelBased.Command<Model, StyleRules> = onList({
  name: "replaceConfiguredRules",
  request: Generators.request("StyleRules.replaceConfiguredRules"),
  run: (rules, request) => Effect.flatMap(rules.replaceConfiguredRules(request), kept),
  expect: (model, list, { configuredRules }) => changing(model, list, { configuredRules })
})

/**
 * Deletes a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const remove: ModelBased.Command<Model, StyleRules> = onList({
  name: "remove",
  request: Generators.request("StyleRules.remove"),
  run: (rules, request) => rules.remove(request),
  expect: (model, list) => ({ succeeds: same, next: () => change(model, list, { removed: true }) })
})

/**
 * Adds an instruction to a list.
 *
 * @category commands
 * @since 0.1.0
 */
export const addInstruction: ModelBased.Command<Model, StyleRules> = onList({
  name: "addInstruction",
  weight: 3,
  request: Generators.request("StyleRules.addInstruction"),
  run: (rules, request) => rules.addInstruction(request),
  expect: (model, list, request) =>
    list.customInstructions.length >= model.instructionsPerList ? full : {
      succeeds: (actual) =>
        stored(newId(actual.instructionId, model.lists.flatMap(instructionsOf), anotherInstruction), request, list),
      next: (actual) => touch(model, list, { customInstructions: [...list.customInstructions, actual] })
    }
})

/**
 * Gets an instruction.
 *
 * @category commands
 * @since 0.1.0
 */
export const getInstruction: ModelBased.Command<Model, StyleRules> = onInstruction({
  name: "getInstruction",
  request: Generators.request("StyleRules.getInstruction"),
  run: (rules, request) => rules.getInstruction(request),
  expect: (_model, { instruction }) => ({ succeeds: () => instruction })
})

/**
 * Replaces an instruction in its place.
 *
 * @category commands
 * @since 0.1.0
 */
export const replaceInstruction: ModelBased.Command<Model, StyleRules> = onInstruction({
  name: "replaceInstruction",
  weight: 2,
  request: Generators.request("StyleRules.replaceInstruction"),
  run: (rules, request) => rules.replaceInstruction(request),
  expect: (model, { list }, request) => ({
    succeeds: () => stored(request.instructionId, request, list),
    next: (actual) =>
      touch(model, list, {
        customInstructions: list.customInstructions.map((other) =>
          other.instructionId === actual.instructionId ? actual : other
        )
      })
  })
})

/**
 * Removes an instruction.
 *
 * @category commands
 * @since 0.1.0
 */
export const removeInstruction: ModelBased.Command<Model, StyleRules> = onInstruction({
  name: "removeInstruction",
  weight: 2,
  request: Generators.request("StyleRules.removeInstruction"),
  run: (rules, request) => rules.removeInstruction(request),
  expect: (model, { list }, { instructionId }) => ({
    succeeds: same,
    next: () =>
      touch(model, list, {
        customInstructions: list.customInstructions.filter((other) => other.instructionId !== instructionId),
        removedInstructions: [...list.removedInstructions, instructionId]
      })
  })
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
