/** Streams of all items of a list that the service returns page by page. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ContractFailure, mismatch } from "../../errors/internal/unexpected.ts"
import type { CallRecord } from "./callRecord.ts"

/** A numbered page, and the total number of items if the service reports it. */
type Numbered<A> = readonly [items: ReadonlyArray<A>, total?: number | undefined]

/**
 * Streams numbered pages, each item once. Items created or deleted between two pages shift the others, so one can be on two
 * pages.
 */
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
        // A service may return smaller pages than requested. A page without a new item means that the service does not paginate.
        const isLast = fresh.length === 0 || (total === undefined ? items.length < pageSize : seen.size >= total)
        return [fresh, isLast ? Option.none<number>() : Option.some(page + 1)] as const
      }))
  })

/** A page with the cursor of the next one. */
type Linked<A, C> = readonly [items: ReadonlyArray<A>, next: C | undefined]

/** The items of a page, and the cursor to follow. */
type Followed<A, C> = readonly [items: ReadonlyArray<A>, next: Option.Option<C>]

/** Streams pages that refer to the next one by a cursor. `getPage` requests a page, and `run` makes it a call with a record. */
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
      // Following it would never end, and the items after it are unknown.
      return items.length > 0 ? mismatch("the next page was returned before") : Effect.succeed([items, Option.none()])
    }
    return Stream.paginate<C | undefined, A, E2>(undefined, (cursor) =>
      run((record) => Effect.flatMap(getPage(record, cursor), follow)))
  })
