/** Authorization: keys, tiers and scopes. */
import { Authorization } from "@effect-lingua/core/call/Authorization"
import { AccessDenied, InvalidKey, MissingScope, WrongTier } from "@effect-lingua/core/errors/ServiceError"
import { Endpoint } from "@effect-lingua/core/extension/Contract"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { unhandled } from "effect/Types"
import type { OperationName } from "../../../faults/Fault.ts"
import { nameOf } from "../../../faults/internal/operations.ts"
import * as Accounts from "../account/accounts.ts"
import { refuse } from "../answers.ts"
import * as Exchange from "../exchange.ts"
import type { Key } from "../model.ts"
import { type Fake, isAdminKey } from "../state.ts"

const scopes: Readonly<Record<string, (kind: string, operation: OperationName) => string>> = {
  Documents: () => "translate:document",
  Translation: () => "translate:text",
  Writing: () => "write:improve",
  StyleRules: (kind) => `style_rules:${kind}`,
  Usage: () => "usage:read",
  // An export counts as reading, although its method is POST.
  TranslationMemories: (kind, operation) =>
    `translation_memories:${operation === "TranslationMemories.startExport" ? "read" : kind}`,
  Glossaries: (kind) => `glossaries:${kind}`,
  GlossariesV2: (kind) => `glossaries:${kind}`,
  Languages: (_, operation) => operation === "Languages.glossaryPairs" ? "glossaries:read" : "languages:read"
}

/** The scope of an operation; `undefined` if no scope gives access, as for detection. */
const scopeOf = ({ settings }: Fake, group: string, operation: OperationName, method: string): string | undefined => {
  const kind = method === "GET" ? "read" : "write"
  const scope = settings.resources.find((resource) => resource.group.identifier === group)?.scope
  return scope === undefined ? scopes[group]?.(kind, operation) : `${scope}:${kind}`
}

/** Refuses a key that may not call the operation. */
export const check = (
  fake: Fake,
  credential: string | undefined,
  { endpoint, group }: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }
): Effect.Effect<Key, unhandled> =>
  Effect.flatMap(DateTime.now, (now) => {
    const [, scheme = "", word = ""] = /^(\S+) (\S+)$/.exec(credential ?? "") ?? []
    const known = fake.settings.authSchemes.includes(scheme)
    const key = known ? Accounts.keyOf(fake, word, now) : undefined
    if (key === undefined) return refuse(new InvalidKey({ description: "Missing or invalid key" }))
    const { key: requiredKey, tier } = Context.get(endpoint.annotations, Endpoint.Facts)
    if (isAdminKey(key.key) !== (requiredKey === "admin")) {
      return refuse(new AccessDenied({ description: "Forbidden" }))
    }
    if (key.tier === "free" && tier === "paid") {
      return refuse(
        new WrongTier({ description: "This operation is not part of the free tier; a paid plan is needed" })
      )
    }
    const operation = nameOf(group, endpoint)
    const scope = scopeOf(fake, group.identifier, operation, endpoint.method)
    if (key.scopes !== undefined && scope === undefined) return refuse(new AccessDenied({ description: "Forbidden" }))
    if (key.scopes !== undefined && scope !== undefined && !key.scopes.includes(scope)) {
      return refuse(
        new MissingScope({
          description: "Forbidden",
          detail: `Missing required scope(s): ${scope}`,
          scopes: [scope]
        })
      )
    }
    return operation === "Detection.detect" && key.detectionEnabled !== true
      ? refuse(new AccessDenied({ description: "Forbidden" }))
      : Effect.succeed(key)
  })

export const layer = Layer.succeed(Authorization, {
  key: (httpEffect, { credential, ...target }) =>
    Effect.flatMap(
      Exchange.Current,
      ({ fake }) => Effect.andThen(check(fake, Redacted.value(credential), target), httpEffect)
    )
})
