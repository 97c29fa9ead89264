/** Authorization: keys, tiers and scopes. */
import { Authorization } from "@effect-lingua/core/call/Authorization"
import { AccessDenied, InvalidKey, MissingScope, WrongTier } from "@effect-lingua/core/errors/ServiceError"
import { Operation } from "@effect-lingua/core/extension/Contract"
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
import type { Key } from "../model.ts"
import { type Fake, FakeState, isAdminKey } from "../state.ts"

/** Without a scope, as for detection, no scoped key has access. */
const scopeOf = (
  { settings: { resources } }: Fake,
  group: string,
  operation: OperationName,
  method: string
): string | undefined => {
  const kind = method === "GET" ? "read" : "write"
  switch (group) {
    case "Documents":
      return "translate:document"
    case "Translation":
      return "translate:text"
    case "Writing":
      return "write:improve"
    case "StyleRules":
      return `style_rules:${kind}`
    case "Usage":
      return "usage:read"
    case "TranslationMemories":
      // An export reads, although its method is POST.
      return `translation_memories:${operation === "TranslationMemories.startExport" ? "read" : kind}`
    case "Glossaries":
    case "GlossariesV2":
      return `glossaries:${kind}`
    case "Languages":
      return operation === "Languages.glossaryPairs" ? "glossaries:read" : "languages:read"
    default: {
      const scope = resources.find((resource) => resource.group.identifier === group)?.scope
      return scope && `${scope}:${kind}`
    }
  }
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
    if (isAdminKey(key.key) !== (Context.get(endpoint.annotations, Operation.Facts).key === "admin")) {
      return refuse(new AccessDenied({ description: "Forbidden" }))
    }
    if (key.tier === "free" && Context.get(endpoint.annotations, Operation.Facts).tier === "paid") {
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

export const layer: Layer.Layer<Authorization, never, FakeState> = Layer.effect(
  Authorization,
  Effect.map(FakeState, (fake) => ({
    key: (httpEffect, { credential, ...target }) =>
      Effect.andThen(check(fake, Redacted.value(credential), target), httpEffect)
  }))
)
