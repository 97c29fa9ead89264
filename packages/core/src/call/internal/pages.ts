import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ContractFailure, mismatch } from "../../errors/internal/unexpected.ts"
import type { CallRecord } from "./callRecord.ts"

type Numbered<A> = readonly [items: ReadonlyArray<A>, total?: number | undefined]

/** Streams numbered pages. Emits each item once, even if a new item shifts another item to the next page. */
export const numbered = <A, E>(
  pageSize: number,
  getPage: (request: { readonly page: number; readonly pageSize: number }) => Effect.Effect<Numbered<A>, E>,
  idOf: (item: A) => string
): Stream.Stream<A, E> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return Stream.paginate(0, (page) =>
      Effect.map(getPage({ page, pageSize }), ([items, total]) => {
        const fresh = items.filter((item) => !seen.has(idOf(item)))
        for (const item of fresh) seen.add(idOf(item))
        // Pages may be smaller than requested. A page without a new item is the last page.
        const isLast = fresh.length === 0 || (total === undefined ? items.length < pageSize : seen.size >= total)
        return [fresh, isLast ? Option.none<number>() : Option.some(page + 1)] as const
      }))
  })

type Linked<A, C> = readonly [items: ReadonlyArray<A>, next: C | undefined]

type Followed<A, C> = readonly [items: ReadonlyArray<A>, next: Option.Option<C>]

/** Streams pages with cursors. `getPage` requests a page, and `run` runs the request as a call. */
export const linked = <A, C, E, E2>(
  getPage: (record: CallRecord, cursor: C | undefined) => Effect.Effect<Linked<A, C>, E>,
  run: (
    page: (record: CallRecord) => Effect.Effect<Followed<A, C>, E | ContractFailure>
  ) => Effect.Effect<Followed<A, C>, E2>
): Stream.Stream<A, E2> =>
  Stream.suspend(() => {
    const seen = new Set<C>()
    const follow = ([items, next]: Linked<A, C>): Effect.Effect<Followed<A, C>, ContractFailure> => {
      if (next === undefined) return Effect.succeed([items, Option.none()])
      if (!seen.has(next)) return Effect.as(Effect.sync(() => seen.add(next)), [items, Option.some(next)])
      // A repeated cursor would make the stream endless.
      return items.length > 0 ? mismatch("the next page was returned before") : Effect.succeed([items, Option.none()])
    }
    return Stream.paginate<C | undefined, A, E2>(undefined, (cursor) =>
      run((record) => Effect.flatMap(getPage(record, cursor), follow)))
  })
