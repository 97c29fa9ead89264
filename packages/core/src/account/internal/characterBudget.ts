/** The characters of a request: those that errors, spans and metrics show, and the budget of a tenant. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type CallRecord, countedAttempts } from "../../call/internal/callRecord.ts"
import { BudgetExceeded } from "../../errors/CallError.ts"
import { type Budget, CurrentTenant, standingOf, stateOf } from "../../limits/internal/tenants.ts"

/** The budget of the tenant of a region, if it has one. */
const budgetOf = (context: Context.Context<never>): Budget | undefined =>
  stateOf(Context.get(context, CurrentTenant))?.budget

export const hasBudget = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(budgetOf(context) !== undefined)
)

/** Counts characters in a budget, or fails if they exceed it. */
const take = (budget: Budget, charactersOf: () => number): Effect.Effect<number, BudgetExceeded> =>
  Effect.suspend(() => {
    const given = charactersOf()
    const { characters, remaining } = standingOf(budget)
    if (given > remaining) {
      return Effect.fail(new BudgetExceeded({ given, remaining, budget: characters, tenant: budget.tenant }))
    }
    budget.used += given
    return Effect.succeed(given)
  })

/**
 * Runs a metered call if its characters fit in the budget of the tenant, counts them as often as the service may have, and adds the
 * characters that may have been counted to its errors.
 */
export const metered = <A, E, R>(
  record: CallRecord,
  charactersOf: () => number,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E | BudgetExceeded, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    record.characters = charactersOf
    const budget = budgetOf(context)
    if (budget === undefined) return call
    return Effect.acquireUseRelease(take(budget, charactersOf), () => call, (given) =>
      Effect.sync(() => {
        budget.used += given * (countedAttempts(record.attempts) - 1)
      }))
  })

/** Makes the count of documents, whose characters are billed with their download, and otherwise not at all. */
export const makeUploads = () => {
  /** The estimates of documents in translation, with the budgets that count them. */
  const documents = new Map<string, { readonly given: number; readonly budget: Budget }>()
  return {
    /** Runs an upload if its characters fit. */
    around: <A extends { readonly documentId: string }, E, R>(
      charactersOf: () => number,
      upload: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | BudgetExceeded, R> =>
      Effect.contextWith((context: Context.Context<R>) => {
        const budget = budgetOf(context)
        if (budget === undefined) return upload
        return Effect.acquireUseRelease(take(budget, charactersOf), () => upload, (given, exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) documents.set(exit.value.documentId, { given, budget })
            else budget.used -= given
          }))
      }),
    /** Replaces the estimate of a document by its billed characters. */
    settle: (documentId: string, billed: number | undefined): void => {
      const estimate = documents.get(documentId)
      if (estimate === undefined) return
      documents.delete(documentId)
      estimate.budget.used += (billed ?? estimate.given) - estimate.given
    }
  }
}
