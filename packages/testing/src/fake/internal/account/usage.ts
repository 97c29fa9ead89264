/** The usage endpoint. Only keys of the paid tier receive all fields. */
import type { CurrentUsage, UsageLimit } from "@effect-lingua/core/account/Usage"
import * as DateTime from "effect/DateTime"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Exchange } from "../exchange.ts"
import { group } from "../group.ts"
import * as Quota from "../quota.ts"
import type { Counts, Fake } from "../state.ts"
import { step } from "../steps.ts"

/** A usage limit; unknown for 0, which may mean unlimited. */
const limitOf = (characters: number): UsageLimit => characters === 0 ? "unknown" : characters

const usageOf = (fake: Fake, exchange: Exchange, now: number) => {
  const standing = Quota.standing(fake, exchange, now)
  const { account, characters, documents, end, ofKey, start, teamDocuments, used, usedDocuments } = standing
  const limited = fake.store.keys.get(exchange.key)
  if (limited?.access.tier === "free") {
    // Not encoded with the contract, which would add an empty list of products.
    return HttpServerResponse.jsonUnsafe({
      character_count: used,
      character_limit: characters,
      ...(documents === undefined ? undefined : { document_count: usedDocuments, document_limit: documents })
    })
  }
  const product = (product: string, units: (counts: Counts) => number) => ({
    product,
    billingUnit: "characters",
    accountUnits: units(account),
    keyUnits: units(ofKey),
    characterCount: units(account),
    keyCharacterCount: units(ofKey)
  })
  const keyLimit = limited?.limits.characters ?? "unlimited"
  const usage: CurrentUsage = {
    characterCount: used,
    characterLimit: limitOf(characters),
    keyCharacterCount: Quota.total(ofKey),
    keyCharacterLimit: keyLimit === "unlimited" ? keyLimit : limitOf(keyLimit),
    products: [
      product("translate", ({ document, text }) => text + document),
      product("write", ({ improvement }) => improvement)
    ],
    ...(documents === undefined
      ? undefined
      : { documentCount: usedDocuments, documentLimit: limitOf(documents) }),
    ...(teamDocuments === undefined
      ? undefined
      : { teamDocumentCount: usedDocuments, teamDocumentLimit: limitOf(teamDocuments) }),
    startTime: DateTime.makeUnsafe(start),
    ...(Number.isFinite(end) ? { endTime: DateTime.makeUnsafe(end) } : undefined)
  }
  return usage
}

export const layer = group("Usage", (handlers) =>
  handlers.handleAll({
    get: () => step((now, exchange) => Result.succeed(usageOf(exchange.fake, exchange, DateTime.toEpochMillis(now))))
  }))
