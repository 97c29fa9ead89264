/** Counts requests' characters, and enforces tenants' character budgets. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type CallRecord, countedAttempts } from "../../call/internal/callRecord.ts"
import { ReportingTag } from "../../contract/internal/textOptions.ts"
import { BudgetExceeded, type InvalidInput } from "../../errors/CallError.ts"
import { countCharacters, invalid } from "../../errors/internal/checks.ts"
import { type Budget, CurrentTenant, standingOf, stateOf } from "../../limits/internal/tenants.ts"

/** Characters that the service bills for texts. With `tagHandling`, tags are free. */
export const ofTexts = (texts: ReadonlyArray<string>, tagHandling: string | undefined): number =>
  texts.reduce(
    (sum, text) => sum + countCharacters(tagHandling === undefined ? text : text.replace(/<[^<>]*>/g, "")),
    0
  )

const officeTypes = new Set(["docx", "doc", "pptx", "xlsx", "pdf"])
const officeMinimum = 50_000

/** Images cost no characters, because image translation is a free beta. */
const imageTypes = new Set(["jpeg", "jpg", "png"])

/** Counts code points in UTF-8 bytes. */
const countEncoded = (bytes: Uint8Array): number => {
  let count = 0
  for (const byte of bytes) {
    if ((byte & 0xc0) !== 0x80) count++
  }
  return count
}

export const ofFile = (fileName: string, content: Uint8Array | number): number => {
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""
  return officeTypes.has(extension)
    ? officeMinimum
    : imageTypes.has(extension)
    ? 0
    : typeof content === "number"
    ? content
    : countEncoded(content)
}

const budgetOf = (context: Context.Context<never>): Budget | undefined => {
  const tenant = Context.get(context, CurrentTenant)
  return tenant && stateOf(tenant)?.budget
}

export const hasBudget = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(budgetOf(context) !== undefined)
)

/** Reserves a call's characters in the tenant's budget, runs the call, and corrects the reservation with `settle`. */
const withinBudget = <A, E, R>(
  charactersOf: () => number,
  call: Effect.Effect<A, E, R>,
  settle: (budget: Budget, counted: number, exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E | BudgetExceeded, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    const budget = budgetOf(context)
    if (budget === undefined) return call
    const take = Effect.suspend(() => {
      const counted = charactersOf()
      const { characters, remaining } = standingOf(budget)
      if (counted > remaining) {
        return Effect.fail(new BudgetExceeded({ given: counted, remaining, budget: characters, tenant: budget.tenant }))
      }
      budget.used += counted
      return Effect.succeed(counted)
    })
    return Effect.acquireUseRelease(
      take,
      () => call,
      (counted, exit) => Effect.sync(() => settle(budget, counted, exit))
    )
  })

/** Runs a metered call. The budget and errors count the characters of every attempt that the service may have billed. */
export const metered = <A, E, R>(record: CallRecord, charactersOf: () => number, call: Effect.Effect<A, E, R>) => {
  record.characters = charactersOf
  return withinBudget(charactersOf, call, (budget, counted) => {
    budget.used += counted * (countedAttempts(record.attempts) - 1)
  })
}

/** Counts documents toward budgets. An upload reserves an estimate, because the service reports the billed characters later. */
export const makeUploads = () => {
  const documents = new Map<string, { readonly counted: number; readonly budget: Budget }>()
  return {
    around: <A extends { readonly documentId: string }, E, R>(
      charactersOf: () => number,
      upload: Effect.Effect<A, E, R>
    ) =>
      withinBudget(charactersOf, upload, (budget, counted, exit) => {
        if (Exit.isSuccess(exit)) documents.set(exit.value.documentId, { counted, budget })
        else budget.used -= counted
      }),
    /** Replaces a document's estimate with its billed characters, if known. */
    settle: (documentId: string, billed: number | undefined): void => {
      const estimate = documents.get(documentId)
      if (estimate === undefined) return
      documents.delete(documentId)
      estimate.budget.used += (billed ?? estimate.counted) - estimate.counted
    }
  }
}

/** Fails if a `ReportingTag` is set; for operations that accept no tag. */
export const refuseTag: Effect.Effect<void, InvalidInput> = Effect.flatMap(ReportingTag, (tag) =>
  tag === undefined
    ? Effect.void
    : invalid(
      "ReportingTag",
      "the tag of a region",
      "no tag, because only translations of texts have one: provide undefined around this call"
    ))
