/** The facts of an operation apart from its schemas: one annotation on its endpoint. */
import * as Context from "effect/Context"
import type { RepeatKind as Kind } from "./endpoint.ts"

export type RepeatKind = typeof Kind.Type

/** The plan of a key. The two tiers have different base addresses. */
export type Tier = "free" | "paid"

export interface OperationFacts {
  readonly repeat: RepeatKind
  readonly summary: string
  /** The lowest tier that may call the operation. */
  readonly tier: Tier
  /** The kind of key: an account's developer key, or the admin key that manages them; `undefined` accepts both. */
  readonly key: "admin" | "developer" | undefined
  /** True if the operation transfers a file, so that the policy's document times apply. */
  readonly transfers: boolean
  readonly deprecated: boolean
  /** True if the service also accepts a POST with the query in the body. The client sends none. */
  readonly acceptsPost: boolean
  readonly hasRetryAfter: boolean
}

/** An operation without annotations counts as `Create`, the kind with the fewest retries. */
const defaults = {
  repeat: "Create",
  summary: "",
  tier: "free",
  key: "developer",
  transfers: false,
  deprecated: false,
  acceptsPost: false,
  hasRetryAfter: false
} as const satisfies OperationFacts

export const Facts = Context.Reference<OperationFacts>("@effect-lingua/core/contract/internal/operation/Facts", {
  defaultValue: () => defaults
})

export const annotations = (
  repeat: RepeatKind,
  summary: string,
  facts: Partial<Omit<OperationFacts, "repeat" | "summary">> = {}
): Context.Context<never> => Context.make(Facts, { ...defaults, ...facts, repeat, summary })
