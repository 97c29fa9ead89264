/** The budgets of characters: that of a client (`characterBudget` of the configuration), and those of its tenants. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { callOf, countedAttempts, type CurrentCall } from "../../client/internal/currentCall.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import { defined } from "../../contract/internal/optional.ts"
import { BudgetExceeded } from "../../errors/CallError.ts"
import { type Budget, CurrentTenant, standingOf, stateOf } from "../../resilience/internal/tenants.ts"
import type * as Usage from "../Usage.ts"

const count = (budgets: ReadonlyArray<Budget>, characters: number): void => {
  for (const budget of budgets) budget.used += characters
}

/** Counts characters in all budgets, or in none if they exceed one. */
const take = (budgets: ReadonlyArray<Budget>, charactersOf: () => number): Effect.Effect<number, BudgetExceeded> =>
  Effect.suspend(() => {
    const given = charactersOf()
    const spent = budgets.find((budget) => given > standingOf(budget).remaining)
    if (spent === undefined) {
      count(budgets, given)
      return Effect.succeed(given)
    }
    const { characters: budget, tenant } = spent
    const { remaining } = standingOf(spent)
    return Effect.fail(new BudgetExceeded({ given, remaining, budget, ...defined({ tenant }) }))
  })

/**
 * Makes the count of the characters of a request, whose attempts begin at a number. A call may send several requests: `earlier` counts the others.
 * It is returned, not assigned to the call as a literal: V8 allocates a function that is assigned to a property among its old objects.
 */
const countedFrom = (
  before: number,
  charactersOf: () => number,
  earlier: CurrentCall["characters"]
): CurrentCall["characters"] =>
(attempts) => {
  const own = countedAttempts(attempts.slice(before))
  return (earlier?.(attempts.slice(0, before)) ?? 0) + (own === 0 ? 0 : own * charactersOf())
}

const make = (characters: number | undefined) => {
  const own: ReadonlyArray<Budget> = characters === undefined ? [] : [{ characters, used: 0 }]
  /** The estimates of documents in translation, with the budgets that count them. */
  const documents = new Map<string, { readonly given: number; readonly budgets: ReadonlyArray<Budget> }>()

  /** The budgets of the region, that of its tenant first. */
  const budgetsOf = (context: Context.Context<never>): ReadonlyArray<Budget> => {
    const budget = stateOf(Context.get(context, CurrentTenant))?.budget
    return budget === undefined ? own : [budget, ...own]
  }

  return {
    /** The state of the first budget of the region, if it has one. */
    standing: Effect.contextWith((context: Context.Context<never>) => {
      const [budget] = budgetsOf(context)
      return Effect.succeed<Usage.Budget | undefined>(
        budget && standingOf(budget)
      )
    }),
    /**
     * Runs a metered call if its characters fit, counts them as often as the service may have, and adds the characters that may have
     * been counted to its errors.
     */
    around: <A, E, R>(
      charactersOf: () => number,
      call: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | BudgetExceeded, R> =>
      Effect.contextWith((context: Context.Context<R>) => {
        const current = callOf(context)
        const before = current?.attempts.length ?? 0
        if (current !== undefined) current.characters = countedFrom(before, charactersOf, current.characters)
        const budgets = budgetsOf(context)
        if (budgets.length === 0) return call
        return Effect.acquireUseRelease(take(budgets, charactersOf), () => call, (given) =>
          Effect.sync(() => {
            const ended = current?.attempts.slice(before) ?? []
            count(budgets, given * (countedAttempts(ended) - 1))
          }))
      }),
    /** Runs an upload, whose characters are billed with the download of the document, and otherwise not at all. */
    aroundUpload: <A extends { readonly documentId: string }, E, R>(
      charactersOf: () => number,
      upload: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | BudgetExceeded, R> =>
      Effect.contextWith((context: Context.Context<R>) => {
        const budgets = budgetsOf(context)
        if (budgets.length === 0) return upload
        return Effect.acquireUseRelease(take(budgets, charactersOf), () => upload, (given, exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) documents.set(exit.value.documentId, { given, budgets })
            else count(budgets, -given)
          }))
      }),
    /** Replaces the estimate of a document by its billed characters. */
    settle: (documentId: string, billed: number | undefined): void => {
      const estimate = documents.get(documentId)
      if (estimate === undefined) return
      documents.delete(documentId)
      count(estimate.budgets, (billed ?? estimate.given) - estimate.given)
    }
  }
}

/** The budgets shared by all services of a client. */
export class CharacterBudget extends Context.Service<CharacterBudget, ReturnType<typeof make>>()(
  "@effect-lingua/core/account/internal/characterBudget"
) {}

/** The budgets of the configuration and of the regions. */
export const layer: Layer.Layer<CharacterBudget, never, LanguageServiceConfig> = Layer.effect(
  CharacterBudget,
  Effect.map(LanguageServiceConfig, ({ characterBudget }) => make(characterBudget))
)
