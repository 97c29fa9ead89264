/**
 * Style rule lists: named sets of configured rules and custom instructions for translations. Needs the paid tier.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { numbered } from "../call/internal/pages.ts"
import * as Syncing from "../call/internal/syncing.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { InstructionId, StyleId } from "../contract/Ids.ts"
import { defined } from "../contract/internal/values.ts"
import { canonical } from "../contract/Language.ts"
import { DuplicateStyleRules, type LimitExceeded } from "../errors/CallError.ts"
import { checkInteger, checkLength, checkLimit, checkText, invalid } from "../errors/internal/checks.ts"
import { mismatch } from "../errors/internal/unexpected.ts"
import type { ConfiguredRules } from "./ConfiguredRules.ts"
import {
  type CreateOptions,
  type CustomInstruction,
  type InstructionOptions,
  type InstructionReplacement,
  type NewStyleRuleList,
  type StyleRuleList,
  type StyleRuleListEntry,
  StyleRulesApi
} from "./internal/styleRulesApi.ts"
import { changes as changesOf } from "./internal/styleRulesDiff.ts"
import * as StyleRulesPlan from "./StyleRulesPlan.ts"

export { CustomInstruction, StyleRuleList, StyleRuleListEntry } from "./internal/styleRulesApi.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface PageOptions {
  /** Default: 0, the first page. */
  readonly page?: number | undefined
  /** 1 to 25 lists. Default: 10. */
  readonly pageSize?: number | undefined
  /** Includes rules and instructions. Default: false. */
  readonly detailed?: boolean | undefined
}

/**
 * A list's id, or a whole `StyleRuleList`.
 *
 * @category options
 * @since 0.1.0
 */
export interface StyleRef {
  readonly styleId: StyleId
}

/**
 * The ids of an instruction and its list.
 *
 * @category options
 * @since 0.1.0
 */
export interface InstructionRef extends StyleRef {
  readonly instructionId: InstructionId
}

/**
 * The replacement of an instruction. The service requires all fields.
 *
 * @category options
 * @since 0.1.0
 */
export interface ReplaceInstructionOptions extends InstructionRef, InstructionReplacement {}

type ListError = Operations.Errors<typeof StyleRulesApi, "listPage">["call"]

type GetError = Operations.Errors<typeof StyleRulesApi, "get">["call"]

type CreateError = Operations.Errors<typeof StyleRulesApi, "create", LimitExceeded>["create"]

type RenameError = Operations.Errors<typeof StyleRulesApi, "rename", LimitExceeded>["call"]

type AddInstructionError = Operations.Errors<typeof StyleRulesApi, "addInstruction", LimitExceeded>["create"]

type ReplaceInstructionError = Operations.Errors<typeof StyleRulesApi, "replaceInstruction", LimitExceeded>["call"]

type PlanError = Operations.Union<ListError | GetError | LimitExceeded | DuplicateStyleRules>["members"]

type ApplyError = Operations.Union<CreateError | AddInstructionError | RenameError | ReplaceInstructionError>["members"]

type SyncError = Operations.Union<PlanError | ApplyError>["members"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(StyleRulesApi)
  const { composed } = yield* Operations.runs
  const { limits } = yield* LanguageServiceConfig

  const checkInstruction = (path: string, { label, prompt }: { readonly label: string; readonly prompt: string }) =>
    Effect.andThen(
      checkLength(`${path}label`, label, limits.labelCharacters),
      checkLength(`${path}prompt`, prompt, limits.promptCharacters)
    )

  const checkName = (name: string, path = "") => checkLength(`${path}name`, name, limits.styleRuleListNameCharacters)

  const checkList = Effect.fnUntraced(function*(path: string, options: CreateOptions) {
    const { customInstructions = [], language, name } = options
    yield* checkName(name, path)
    yield* checkText(`${path}language`, language)
    const known = limits.styleRuleLanguages
    if (known !== "any" && !known.includes(language.toLowerCase())) {
      const [root = ""] = language.toLowerCase().split(/[-_]/)
      const hint = known.includes(root)
        ? `the nearest is ${JSON.stringify(root)}`
        : "the option limits.styleRuleLanguages can allow others, or \"any\""
      return yield* invalid(`${path}language`, JSON.stringify(language), `one of ${known.join(", ")}; ${hint}`)
    }
    const { length } = customInstructions
    yield* checkLimit(`${path}customInstructions`, "instructions", length, limits.instructionsPerList)
    for (const [index, instruction] of customInstructions.entries()) {
      yield* checkInstruction(`${path}customInstructions[${index}].`, instruction)
    }
  })

  const create = Effect.fnUntraced(function*(record: CallRecord, options: CreateOptions) {
    yield* checkList("", options)
    const { configuredRules, customInstructions, language, name } = options
    const payload: NewStyleRuleList = defined({
      name,
      language: canonical(language),
      configuredRules,
      customInstructions: customInstructions?.map((instruction) => defined(instruction))
    })
    return yield* api.create.request(record, { payload })
  })

  const page = Effect.fnUntraced(function*(record: CallRecord, options: PageOptions) {
    const { page = 0, pageSize = 10 } = options
    yield* checkInteger("page", page, 0)
    yield* checkInteger("pageSize", pageSize, 1, limits.pageSize)
    const { styleRules } = yield* api.listPage.request(record, { query: defined(options) })
    if (styleRules.length > pageSize) {
      return yield* mismatch(`the response has ${styleRules.length} lists for a page of ${pageSize}`)
    }
    return styleRules
  })

  const listPage = (options: PageOptions = {}): Effect.Effect<ReadonlyArray<StyleRuleListEntry>, ListError> =>
    api.listPage.run((record) => page(record, options))

  const list = ({ detailed }: Pick<PageOptions, "detailed"> = {}): Stream.Stream<StyleRuleListEntry, ListError> =>
    numbered(
      limits.pageSize,
      (options) => Effect.map(listPage({ ...options, detailed }), (entries) => [entries] as const),
      ({ styleId }) => styleId
    )

  const addInstruction = Effect.fnUntraced(function*(
    record: CallRecord,
    { styleId, ...instruction }: StyleRef & InstructionOptions
  ) {
    yield* checkInstruction("", instruction)
    const added = yield* api.addInstruction.request(record, { params: { styleId }, payload: defined(instruction) })
    if ("prompt" in added) return added
    const { label, prompt } = instruction
    const last = added.customInstructions?.findLast((item) => item.label === label && item.prompt === prompt)
    return last === undefined ? yield* mismatch("the returned list does not have the instruction") : last
  })

  const methods = {
    /**
     * Creates a list.
     *
     * **Details**
     *
     * `POST /v3/style_rules`. Retried only if the service refused the request. Fails before the request with `InvalidInput` for an unsupported
     * language, and `LimitExceeded` for a name over 1024 characters, over 200 instructions, a label over 100 characters or a prompt over 300. Fails
     * with `OutcomeUnknown` (name and language in `lookup`) if the response is lost, and `QuotaExceeded` if the plan allows no more lists.
     */
    create: (options: CreateOptions): Effect.Effect<StyleRuleList, CreateError> =>
      api.create.create({ name: options.name, language: options.language }, (record) => create(record, options)),
    /** Streams all lists, each once. A concurrent change may hide a list. Fails like `listPage`. */
    list,
    /** Gets one page of lists (`GET /v3/style_rules`). A page beyond the end is empty. Fails with `InvalidInput` for an invalid page or page size. */
    listPage,
    /** Gets one list (`GET /v3/style_rules/{style_id}`). Fails with `NotFound` for an unknown id. */
    get: ({ styleId }: StyleRef): Effect.Effect<StyleRuleList, GetError> => api.get({ params: { styleId } }),
    /**
     * Changes the name of a list (`PATCH /v3/style_rules/{style_id}`). Fails with `NotFound` for an unknown id and `LimitExceeded` for a name over
     * 1024 characters.
     */
    rename: ({ name, styleId }: StyleRef & { readonly name: string }): Effect.Effect<StyleRuleList, RenameError> =>
      api.rename(Effect.as(checkName(name), { params: { styleId }, payload: { name } })),
    /** Deletes a list, which cannot be undone (`DELETE /v3/style_rules/{style_id}`). Fails with `NotFound` for an unknown id, except in a retry. */
    remove: ({ styleId }: StyleRef): Effect.Effect<void, GetError> => api.remove({ params: { styleId } }),
    /**
     * Replaces all configured rules of a list; `{}` clears them (`PUT /v3/style_rules/{style_id}/configured_rules`). Fails with `NotFound` for an
     * unknown id.
     */
    replaceConfiguredRules: (
      { configuredRules, styleId }: StyleRef & { readonly configuredRules: ConfiguredRules }
    ): Effect.Effect<StyleRuleList, GetError> =>
      api.replaceConfiguredRules({ params: { styleId }, payload: configuredRules }),
    /**
     * Adds an instruction at the end of a list and returns it with its id.
     *
     * **Details**
     *
     * `POST /v3/style_rules/{style_id}/custom_instructions`. Retried only if the service refused the request. Fails before the request with
     * `LimitExceeded` for a label over 100 or a prompt over 300 characters. Fails with `OutcomeUnknown` (list and label in `lookup`) if the response
     * is lost, with `NotFound` for an unknown id, and with `QuotaExceeded` for a full list.
     */
    addInstruction: (options: StyleRef & InstructionOptions): Effect.Effect<CustomInstruction, AddInstructionError> =>
      api.addInstruction.create(
        { styleId: options.styleId, label: options.label },
        (record) => addInstruction(record, options)
      ),
    /** Gets one instruction (`GET /v3/style_rules/{style_id}/custom_instructions/{instruction_id}`). Fails with `NotFound` for an unknown id. */
    getInstruction: ({ instructionId, styleId }: InstructionRef): Effect.Effect<CustomInstruction, GetError> =>
      api.getInstruction({ params: { styleId, instructionId } }),
    /**
     * Replaces an instruction, which keeps its position (`PUT /v3/style_rules/{style_id}/custom_instructions/{instruction_id}`). Fails like
     * `addInstruction`.
     */
    replaceInstruction: (
      { instructionId, label, prompt, sourceLanguage, styleId }: ReplaceInstructionOptions
    ): Effect.Effect<CustomInstruction, ReplaceInstructionError> =>
      api.replaceInstruction(
        Effect.as(checkInstruction("", { label, prompt }), {
          params: { styleId, instructionId },
          payload: { label, prompt, sourceLanguage }
        })
      ),
    /** Removes an instruction (`DELETE /v3/style_rules/{style_id}/custom_instructions/{instruction_id}`). Fails like `remove`. */
    removeInstruction: ({ instructionId, styleId }: InstructionRef): Effect.Effect<void, GetError> =>
      api.removeInstruction({ params: { styleId, instructionId } })
  }

  const checkDesired = Effect.fnUntraced(function*(path: string, desired: StyleRulesPlan.DesiredList) {
    yield* checkList(path, desired)
    const label = Syncing.repeated(desired.customInstructions ?? [], (one, other) => one.label === other.label)
    if (label !== -1) {
      return yield* invalid(`${path}customInstructions[${label}].label`, "a repeated label", "each once")
    }
    return desired
  })

  const changes = Effect.fnUntraced(
    function*(existing: StyleRuleListEntry, desired: StyleRulesPlan.DesiredList, path: string) {
      if (existing.language !== undefined && existing.language.toLowerCase() !== desired.language.toLowerCase()) {
        return yield* invalid(
          `${path}language`,
          JSON.stringify(desired.language),
          `${JSON.stringify(existing.language)}, because the language of a list cannot be changed`
        )
      }
      const isWhole = existing.configuredRules !== undefined && existing.customInstructions !== undefined
      const list = isWhole ? existing : yield* methods.get(existing)
      return desired.customInstructions !== undefined && list.customInstructions === undefined
        ? yield* Syncing.unreadable(
          "StyleRules.get",
          `the custom_instructions of the list ${list.styleId} are unreadable`
        )
        : changesOf(list, desired)
    }
  )

  const add = ({ instruction, styleId }: Extract<StyleRulesPlan.Step, { _tag: "AddInstruction" }>) =>
    methods.addInstruction({ styleId, ...instruction }).pipe(
      Effect.catchTag("OutcomeUnknown", (error) =>
        methods.get({ styleId }).pipe(
          Effect.mapError(() => error),
          Effect.filterOrFail(
            ({ customInstructions = [] }) =>
              customInstructions.some(({ label, prompt }) =>
                label === instruction.label && prompt === instruction.prompt
              ),
            () => error
          )
        ))
    )

  const change = Data.taggedEnum<Syncing.Change<StyleRulesPlan.Step>>().$match({
    Rename: methods.rename,
    ReplaceRules: methods.replaceConfiguredRules,
    ReplaceInstruction: methods.replaceInstruction,
    AddInstruction: add,
    RemoveInstruction: methods.removeInstruction,
    Remove: methods.remove
  })

  const syncing = Syncing.make<PlanError, ApplyError>()({
    option: "lists",
    noun: "list",
    idName: "styleId",
    key: ["name", "language"],
    check: checkDesired,
    listOperation: "StyleRules.listPage",
    list,
    duplicate: ({ language, name }, found) =>
      new DuplicateStyleRules({ name, language, styleIds: found.map(({ styleId }) => styleId) }),
    creation: (desired) => StyleRulesPlan.Step.Create({ list: desired.name, desired }),
    changes,
    removal: ({ language = "", name, styleId }) => StyleRulesPlan.Step.Remove({ list: name, language, styleId }),
    planned: ({ language, name }, existing) => defined({ name, language, styleId: existing?.styleId }),
    format: StyleRulesPlan.format,
    desiredOf: ({ desired }) => desired,
    create: methods.create,
    change
  })

  const plan = ({ lists, removeOthers }: StyleRulesPlan.PlanOptions): Effect.Effect<StyleRulesPlan.Plan, PlanError> =>
    Effect.map(syncing.plan(lists, removeOthers), ({ resources, steps }) => ({ steps, lists: resources }))

  const apply = ({ lists, steps }: StyleRulesPlan.Plan): Effect.Effect<StyleRulesPlan.Synced, ApplyError> =>
    Effect.map(syncing.apply(steps, lists), (lists) => ({ steps, lists }))

  return yield* withKnownOptions(StyleRulesApi, {
    ...methods,
    /**
     * Compares desired lists with existing lists. Changes nothing.
     *
     * **Details**
     *
     * Lists match by id or, without an id, by name and language; instructions by label, prompt and, if present, source language. Fails with
     * `DuplicateStyleRules` if several lists match; with `InvalidInput` for a repeated list or label, an unknown id, or a language that differs
     * from the existing list; with `LimitExceeded` like `create`.
     */
    plan: (options: StyleRulesPlan.PlanOptions): Effect.Effect<StyleRulesPlan.Plan, PlanError> =>
      composed("StyleRules.plan", plan(options)),
    /**
     * Runs the calls of a plan.
     *
     * **Details**
     *
     * Creates lists first and deletes lists last, four lists at a time. No call starts after a failure; a new plan has the remaining calls. If a
     * creation's response is lost, looks the list up, and fails with `OutcomeUnknown` if it does not exist. An error's `plan` describes the failed
     * call, the calls made, and the calls left.
     */
    apply: (plan: StyleRulesPlan.Plan): Effect.Effect<StyleRulesPlan.Synced, ApplyError> =>
      composed("StyleRules.apply", apply(plan)),
    /**
     * Brings lists to the desired state with the fewest calls: `plan`, then `apply`. Idempotent.
     *
     * **Gotchas**
     *
     * Two concurrent runs can both create the same list; the next run then fails with `DuplicateStyleRules`.
     */
    sync: (options: StyleRulesPlan.PlanOptions): Effect.Effect<StyleRulesPlan.Synced, SyncError> =>
      composed("StyleRules.sync", Effect.flatMap(plan(options), apply))
  }, {
    list: { detailed: true },
    replaceConfiguredRules: { styleId: true, configuredRules: true },
    plan: { lists: true, removeOthers: true },
    apply: false,
    sync: { lists: true, removeOthers: true }
  })
})

/**
 * Manages style rule lists.
 *
 * @category services
 * @since 0.1.0
 */
export class StyleRules extends Operations.service<StyleRules>()("@effect-lingua/core/style-rules/StyleRules", make) {}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace StyleRules {
  export type { CreateOptions, InstructionOptions, PageOptions, ReplaceInstructionOptions }
  export type { AddInstructionError, ApplyError, CreateError, GetError, ListError, PlanError, RenameError }
  export type { ReplaceInstructionError, SyncError }
  export type { CustomInstruction, InstructionRef, StyleRef, StyleRuleList, StyleRuleListEntry }
}
