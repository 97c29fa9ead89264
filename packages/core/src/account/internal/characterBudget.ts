/** The characters that the calls of a client may count, where the configuration bounds them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { BudgetExceeded } from "../../client/CallError.ts"
import { countedAttempts, CurrentCall } from "../../client/internal/currentCall.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import type * as Usage from "../Usage.ts"

interface Budget {
  /** The state of the budget, if there is one. */
  readonly standing: () => Usage.Budget | undefined
  /** Makes a metered call if its characters fit, and counts them as often as the service may have. */
  readonly around: <A, E, R>(
    characters: () => number,
    call: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | BudgetExceeded, R>
  /** The same for an upload, which is counted when the document is downloaded, and not at all if it never is. */
  readonly aroundUpload: <A extends { readonly documentId: string }, E, R>(
    characters: () => number,
    upload: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | BudgetExceeded, R>
  /** Puts what a document is billed with in the place of its estimate. */
  readonly settle: (documentId: string, billed: number | undefined) => void
}

/** Makes a metered call, whose errors can then say what may have been counted. */
const noting = <A, E, R>(
  characters: () => number,
  call: (current: CurrentCall | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentCall, (current) => {
    if (current !== undefined) current.characters = characters
    return call(current)
  })

const none: Budget = {
  standing: () => undefined,
  around: (characters, call) => noting(characters, () => call),
  aroundUpload: (_, upload) => upload,
  settle: () => {}
}

const make = (characters: number): Budget => {
  let used = 0
  /** The estimates of documents that are in translation. */
  const documents = new Map<string, number>()

  const remaining = () => Math.max(0, characters - used)

  const take = (charactersOf: () => number): Effect.Effect<number, BudgetExceeded> =>
    Effect.suspend(() => {
      const given = charactersOf()
      const left = remaining()
      if (given > left) return Effect.fail(new BudgetExceeded({ given, remaining: left, budget: characters }))
      used += given
      return Effect.succeed(given)
    })

  return {
    standing: () => ({ characters, used, remaining: remaining() }),
    around: (charactersOf, call) =>
      noting(charactersOf, (current) => {
        const before = current?.attempts.length ?? 0
        return Effect.acquireUseRelease(take(charactersOf), () => call, (given, exit) =>
          Effect.sync(() => {
            // An attempt that is cut off is not among those that have ended.
            const inFlight = Exit.hasInterrupts(exit) ? 1 : 0
            const ended = current?.attempts.slice(before) ?? []
            used += given * (countedAttempts(ended) + inFlight - 1)
          }))
      }),
    aroundUpload: (charactersOf, upload) =>
      Effect.acquireUseRelease(take(charactersOf), () => upload, (given, exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) documents.set(exit.value.documentId, given)
          else used -= given
        })),
    settle: (documentId, billed) => {
      const given = documents.get(documentId)
      if (given === undefined) return
      documents.delete(documentId)
      used += (billed ?? given) - given
    }
  }
}

/** The budget that all services of a client share. */
export class CharacterBudget
  extends Context.Service<CharacterBudget, Budget>()("@effect-lingua/core/account/internal/characterBudget")
{}

/** The budget of the configuration. */
export const layer: Layer.Layer<CharacterBudget, never, LanguageServiceConfig> = Layer.effect(
  CharacterBudget,
  Effect.map(
    LanguageServiceConfig,
    ({ characterBudget }) => characterBudget === undefined ? none : make(characterBudget)
  )
)
