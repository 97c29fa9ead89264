/** The budget of characters of a client (`characterBudget` of the configuration). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { BudgetExceeded } from "../../client/CallError.ts"
import { countedAttempts, CurrentCall } from "../../client/internal/currentCall.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import type * as Usage from "../Usage.ts"

interface Budget {
  /** The state of the budget, if configured. */
  readonly standing: () => Usage.Budget | undefined
  /** Runs a metered call if its characters fit, and counts them as often as the service may have. */
  readonly around: <A, E, R>(
    characters: () => number,
    call: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | BudgetExceeded, R>
  /** Runs an upload, whose characters are billed with the download of the document, and otherwise not at all. */
  readonly aroundUpload: <A extends { readonly documentId: string }, E, R>(
    characters: () => number,
    upload: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | BudgetExceeded, R>
  /** Replaces the estimate of a document by its billed characters. */
  readonly settle: (documentId: string, billed: number | undefined) => void
}

/** Runs a metered call, and adds the characters that may have been counted to its errors. */
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
  /** The estimates of documents in translation. */
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
        return Effect.acquireUseRelease(take(charactersOf), () => call, (given) =>
          Effect.sync(() => {
            const ended = current?.attempts.slice(before) ?? []
            used += given * (countedAttempts(ended) - 1)
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

/** The budget shared by all services of a client. */
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
