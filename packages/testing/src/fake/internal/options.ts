import { Failure } from "@effect-lingua/core/extension/Service"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { OperationName } from "../../faults/Fault.ts"
import { describe, everyIssue, FiniteWait, Positive, Wait } from "../../faults/internal/schema.ts"
import * as Schemas from "./schemas.ts"
import type { Settings } from "./state.ts"

export class InvalidOptions
  extends Failure.messageFirst(Data.TaggedError("InvalidOptions"))<{ readonly reason: string }>
{
  override get message(): string {
    return this.reason
  }
}

type Finding = string | undefined

/** Dies with the first finding, if any. */
export const check = (findings: ReadonlyArray<Finding>): Effect.Effect<void> => {
  const reason = findings.find((finding) => finding !== undefined)
  return reason === undefined ? Effect.void : Effect.die(new InvalidOptions({ reason }))
}

const checker = <A>(name: string, schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { ...everyIssue, onExcessProperty: "error" })
  return (given: A): Finding =>
    Result.match(decode(given), {
      onFailure: (error) => `Invalid ${name}: ${describe(error)}`,
      onSuccess: () => undefined
    })
}

export const options = checker("options", Schemas.Options)
export const document = checker("document", Schemas.NewDocument)
export const styleRuleList = checker("style rule list", Schemas.NewStyleRuleList)
export const glossary = checker("glossary", Schemas.NewGlossary)
export const translationMemory = checker("translation memory", Schemas.NewTranslationMemory)
export const taught = checker("taught answers", Schemas.Taught)
export const quota = checker("quota", Schemas.QuotaChange)
export const operation = checker("operation", OperationName)
export const count = checker("count", Positive)
export const time = checker("duration", Wait)
export const advance = checker("duration", FiniteWait)

/** Rejects an account without a key, because no request could use the account. */
export const account = ({ anyKey, keys }: Settings, given: string | undefined): Finding =>
  given === undefined || anyKey || keys.some((key) => (key.account ?? "") === given)
    ? undefined
    : `No key belongs to the account "${given}".`
