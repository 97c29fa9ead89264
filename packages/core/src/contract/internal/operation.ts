/**
 * The facts of an operation besides its schemas, as annotations on its endpoint: the effect of a repetition, and the required
 * tier and kind of key. The resilience layer and the fake read them.
 */
import * as Context from "effect/Context"
import type { RepeatKind as Kind } from "./endpoint.ts"

export type RepeatKind = typeof Kind.Type

const annotation = <A>(name: string, defaultValue: A) =>
  Context.Reference<A>(`@effect-lingua/core/contract/internal/operation/${name}`, { defaultValue: () => defaultValue })

/** The effect of repeating the operation. Without it an operation counts as `Create`, which is retried least. */
export const Repeat = annotation<RepeatKind>("Repeat", "Create")

/** The plan a key belongs to. The two tiers have different base addresses. */
export type Tier = "free" | "paid"

/** The lowest tier that may call the operation. `paid` for text improvement and style rules. */
export const RequiredTier = annotation<Tier>("RequiredTier", "free")

/** The kind of a key: of the developer keys of an account, or of the admin key that manages them. */
export type KeyKind = "admin" | "developer"

/** The kind of key that the operation needs; `undefined` if it is not known. */
export const RequiredKey = annotation<KeyKind | undefined>("RequiredKey", "developer")

/** The operation transfers a file, so the policy's times for documents apply to it. */
export const Transfers = annotation<boolean>("Transfers", false)

/** The summary of the endpoint in the OpenAPI description. */
export const Summary = annotation<string>("Summary", "")

/** `true` for an endpoint that the service will remove. */
export const Deprecated = annotation<boolean>("Deprecated", false)

/** The service also accepts the operation as a POST, with its query in the body. The client does not use it. */
export const AcceptsPost = annotation<boolean>("AcceptsPost", false)

/** Responses of status 202 have the header `Retry-After`. */
export const HasRetryAfter = annotation<boolean>("HasRetryAfter", false)

/** The annotations of one operation, to be merged into its endpoint. They are part of the OpenAPI description too. */
export const annotations = (
  repeat: RepeatKind,
  summary: string,
  {
    acceptsPost = false,
    deprecated = false,
    hasRetryAfter = false,
    key = "developer",
    tier = "free",
    transfers = false
  }: {
    readonly tier?: Tier
    readonly key?: KeyKind
    readonly transfers?: boolean
    readonly deprecated?: boolean
    readonly acceptsPost?: boolean
    readonly hasRetryAfter?: boolean
  } = {}
): Context.Context<never> =>
  Context.empty().pipe(
    Context.add(Repeat, repeat),
    Context.add(RequiredTier, tier),
    Context.add(RequiredKey, key),
    Context.add(Transfers, transfers),
    Context.add(Summary, summary),
    Context.add(Deprecated, deprecated),
    Context.add(AcceptsPost, acceptsPost),
    Context.add(HasRetryAfter, hasRetryAfter)
  )
