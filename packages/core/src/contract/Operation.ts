/**
 * The facts of an operation besides its schemas, as annotations on its endpoint: the effect of a repetition, and the required
 * tier and kind of key. The resilience layer and the fake read them.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { RepeatKind as Kind } from "./internal/endpoint.ts"

/**
 * The effect of repeating a call.
 *
 * **Details**
 *
 * - `Read`: nothing changes, so any retry is safe.
 * - `Metered`: nothing changes, but each run counts characters.
 * - `Replace`: the end state is the same however often it runs (PUT, PATCH, DELETE).
 * - `Create`: each run makes another object, so it is never retried after an unknown outcome.
 * - `Consume`: the first success deletes the object (the result of a document).
 *
 * @category models
 * @since 0.1.0
 */
export type RepeatKind = typeof Kind.Type

/**
 * Annotation: the effect of repeating the operation. Without it an operation counts as `Create`, which is retried least.
 *
 * @category annotations
 * @since 0.1.0
 */
export const Repeat = Context.Reference<RepeatKind>("@effect-lingua/core/contract/Operation/Repeat", {
  defaultValue: () => "Create"
})

/**
 * The plan a key belongs to. The two tiers have different base addresses.
 *
 * @category models
 * @since 0.1.0
 */
export type Tier = "free" | "paid"

/**
 * Annotation: the lowest tier that may call the operation. `paid` for text improvement and style rules.
 *
 * @category annotations
 * @since 0.1.0
 */
export const RequiredTier = Context.Reference<Tier>("@effect-lingua/core/contract/Operation/RequiredTier", {
  defaultValue: () => "free"
})

/**
 * The kind of a key: of the developer keys of an account, or of the admin key that manages them.
 *
 * @category models
 * @since 0.1.0
 */
export type KeyKind = "admin" | "developer"

/**
 * Annotation: the kind of key that the operation needs; `undefined` if it is not known.
 *
 * @category annotations
 * @since 0.1.0
 */
export const RequiredKey = Context.Reference<KeyKind | undefined>(
  "@effect-lingua/core/contract/Operation/RequiredKey",
  {
    defaultValue: () => "developer"
  }
)

/**
 * Annotation: the operation transfers a file, so the policy's times for documents apply to it.
 *
 * @category annotations
 * @since 0.1.0
 */
export const Transfers = Context.Reference<boolean>("@effect-lingua/core/contract/Operation/Transfers", {
  defaultValue: () => false
})

/**
 * Annotation: the summary of the endpoint in the OpenAPI description.
 *
 * @category annotations
 * @since 0.3.0
 */
export const Summary = Context.Reference<string>("@effect-lingua/core/contract/Operation/Summary", {
  defaultValue: () => ""
})

/**
 * Annotation: `true` for an endpoint that the service will remove.
 *
 * @category annotations
 * @since 0.3.0
 */
export const Deprecated = Context.Reference<boolean>("@effect-lingua/core/contract/Operation/Deprecated", {
  defaultValue: () => false
})

/**
 * Annotation: the service also accepts the operation as a POST, with its query in the body. The client does not use it.
 *
 * @category annotations
 * @since 0.2.0
 */
export const AcceptsPost = Context.Reference<boolean>("@effect-lingua/core/contract/Operation/AcceptsPost", {
  defaultValue: () => false
})

/**
 * Annotation: responses of status 202 have the header `Retry-After`.
 *
 * @category annotations
 * @since 0.3.0
 */
export const HasRetryAfter = Context.Reference<boolean>("@effect-lingua/core/contract/Operation/HasRetryAfter", {
  defaultValue: () => false
})

/**
 * The annotations of one operation, to be merged into its endpoint. They are part of the OpenAPI description too.
 *
 * **Details**
 *
 * `summary` is a short line for the OpenAPI description. `tier` is by default `free`, `key` is `developer`; `transfers`,
 * `deprecated`, `acceptsPost` and `hasRetryAfter` are `false`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const annotations = (repeat: RepeatKind, summary: string, options: {
  readonly tier?: Tier
  readonly key?: KeyKind
  readonly transfers?: boolean
  readonly deprecated?: boolean
  readonly acceptsPost?: boolean
  readonly hasRetryAfter?: boolean
} = {}): Context.Context<never> => {
  const {
    acceptsPost = false,
    deprecated = false,
    hasRetryAfter = false,
    key = "developer",
    tier = "free",
    transfers = false
  } = options
  return Context.empty().pipe(
    Context.add(Repeat, repeat),
    Context.add(RequiredTier, tier),
    Context.add(RequiredKey, key),
    Context.add(Transfers, transfers),
    Context.add(Summary, summary),
    Context.add(Deprecated, deprecated),
    Context.add(AcceptsPost, acceptsPost),
    Context.add(HasRetryAfter, hasRetryAfter)
  )
}
