/** What the handlers of operations are made from. */
import { resultFn } from "@effect-lingua/core/extension/Service"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exchange from "./exchange.ts"
import type { Resources } from "./resources.ts"
import type { Fake, Note } from "./state.ts"

const remember = <A>(items: Array<A>, item: A, limit: number): void => {
  items.push(item)
  if (items.length > limit) items.splice(0, items.length - limit)
}

export const tookEffect = (fake: Fake, note: Note, id: string): void => {
  note.tookEffect = true
  const { operation } = note
  if (operation === undefined) return
  const noted = fake.store.effects.get(operation) ?? { count: 0, ids: [] }
  noted.count += 1
  remember(noted.ids, id, fake.settings.remembered)
  fake.store.effects.set(operation, noted)
}

/** Reads and changes the state atomically, at one clock time. `work` must not fail after a change. */
export const step = <A, E>(
  work: (now: DateTime.Utc, exchange: Exchange.Exchange) => Result.Result<A, E>
): Effect.Effect<A, E> =>
  Effect.andThen(
    Exchange.endIfOver,
    Effect.flatMap(
      Exchange.Current,
      (exchange) => Effect.flatMap(DateTime.now, (now) => Effect.fromResult(work(now, exchange)))
    )
  )

/** Makes an operation's handler of a generator for {@link step}. */
export const handler = <Args, Step extends Result.Result<unknown, unknown>, A>(
  work: (args: Args, now: DateTime.Utc, exchange: Exchange.Exchange) => Generator<Step, A, never>
) => {
  const run = resultFn(work)
  return (args: Args) => step((now, exchange) => run(args, now, exchange))
}

export const remove = <E>(
  resources: (fake: Fake) => Resources<unknown>,
  id: string,
  find: (exchange: Exchange.Exchange) => Result.Result<unknown, E>
): Effect.Effect<void, E> =>
  step((_now, exchange) =>
    Result.map(find(exchange), () => {
      const { account, fake, note } = exchange
      resources(fake).remove(account, id)
      tookEffect(fake, note, id)
    })
  )
