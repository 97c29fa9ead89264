import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { NewDocument, NewTranslationMemory, Quota } from "../../fake/internal/model.ts"
import type { Options } from "../../fake/internal/state.ts"
import { Fault, type OperationName } from "../../faults/Fault.ts"
import { type KindName, kindNames, kindOf, mismatch } from "../../faults/internal/kinds.ts"
import { declares, operation, operationNames } from "../../faults/internal/operations.ts"
import * as Rates from "../../faults/internal/rates.ts"
import { Script } from "../../faults/Script.ts"
import { Weather } from "../../faults/Weather.ts"
import * as Leaves from "./leaves.ts"
import { languagePair } from "./rules.ts"

/** Makes fields optional; values shrink to absent fields. */
const partial = <const Fields extends Readonly<Record<string, Schema.Top>>>(fields: Fields) =>
  Schema.Struct(Struct.map(fields, Schema.optionalKey))

export const document: Arbitrary.Arbitrary<NewDocument> = Arbitrary.schema(Schema.Struct({
  content: Schema.Union([Leaves.text, Schema.Uint8Array]),
  ...partial({
    fileName: Leaves.pick(["document.txt", "a.html", "報告.docx", "sheet.xlsx", "paper (1).pdf", "no extension"]),
    readyAfter: Leaves.duration,
    fails: Leaves.pick(["Source and target language are equal.", "The file is damaged."]),
    characters: Leaves.int(0, 100_000)
  }).fields
}))

export const quota: Arbitrary.Arbitrary<Quota> = Arbitrary.map(
  Arbitrary.schema(
    Schema.Struct({ left: Leaves.int(0, 500_000), used: Leaves.int(0, 500_000), period: Leaves.int(1, 3600) })
  ),
  ({ left, period, used }) => ({ characters: used + left, used, period: Duration.seconds(period) })
)

export const translationMemory: Arbitrary.Arbitrary<NewTranslationMemory> = Arbitrary.map(
  Arbitrary.array(languagePair, { minLength: 1, maxLength: 4 }),
  (pairs) => ({
    sourceLanguage: pairs[0]?.sourceLanguage ?? "en",
    targetLanguages: pairs.map(({ targetLanguage }) => targetLanguage)
  })
)

const Yes = Schema.Literal(true)

/** Faults of a kind, with the other keys that the kind allows. */
const faultOf = (kind: KindName, statuses: ReadonlyArray<number>) => {
  const values: Readonly<Record<string, Schema.Top>> = {
    status: Schema.Literals(statuses),
    reset: Yes,
    truncated: Yes,
    stalled: Yes,
    malformed: Yes,
    wrongLength: Schema.Literals([1, -1, 3]),
    jobFails: Leaves.pick(["The file is damaged."]),
    retryAfter: Leaves.duration,
    description: Leaves.text,
    body: Leaves.pick(["{}", "", "<html>Bad gateway</html>", "null", `{"message":"Grüße"}`]),
    headers: Schema.Struct({ "x-trace-id": Leaves.hexDigits(32) }),
    bytes: Leaves.int(0, 200),
    share: Schema.Literals([0.5, 0, 0.9]),
    delay: Leaves.duration,
    afterEffect: Schema.Boolean
  }
  return Schema.Struct({
    ...partial(Struct.pick(values, kindOf(kind).others)).fields,
    ...Struct.pick(values, [kind])
  })
}

const isFault = Schema.is(Fault)

/** Generates faults, except altered texts. */
export const fault = (name?: OperationName): Arbitrary.Arbitrary<Fault> => {
  const operations = name === undefined ? operationNames : [name]
  const statuses = Array.from(new Set(operations.flatMap((name) => Array.from(operation(name).errors.keys()))))
  const kinds = kindNames.filter((kind) =>
    kind !== "altered" && operations.some((name) => kindOf(kind).mismatch?.(name) === undefined)
  )
  return Arbitrary.filter(Arbitrary.schema(Schema.Union(kinds.map((kind) => faultOf(kind, statuses)))), isFault)
}

const Operation = Schema.Literals(operationNames)

export const script: Arbitrary.Arbitrary<Script> = Arbitrary.filter(
  Arbitrary.flatMap(
    Arbitrary.schema(
      partial({ operation: Operation, skip: Leaves.int(0, 5), every: Leaves.int(1, 5), count: Leaves.int(1, 5) })
    ),
    (script) => Arbitrary.map(fault(script.operation), (fault) => ({ ...script, fault }))
  ),
  Schema.is(Script)
)

/** Any multiple of a tenth of `total`, from 0 to `total`. */
const share = (total: number) => Schema.Literals(Array.from({ length: 11 }, (_, tenths) => tenths * total / 10))

const details = { retryAfter: undefined, slowBy: "1 second" } as const

const isDeclared = (fault: Fault, name: OperationName): boolean =>
  mismatch(fault, name) === undefined && (!("status" in fault) || declares(name, fault.status))

export const weather = (name?: OperationName): Arbitrary.Arbitrary<Weather> => {
  const rates = Struct.keys(Rates.faults).filter((rate) =>
    name === undefined || isDeclared(Rates.faults[rate](details), name)
  )
  // The sum of the rates is at most 1.
  const rate = share(1 / rates.length)
  return Arbitrary.filter(
    Arbitrary.map(
      Arbitrary.schema(partial({
        ...Object.fromEntries(rates.map((name) => [name, rate])),
        retryAfter: Leaves.duration,
        slowBy: Leaves.duration,
        operations: Schema.Array(Operation).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
        afterEffect: share(1)
      })),
      (weather) => name === undefined ? weather : { ...weather, operations: [name] }
    ),
    Schema.is(Weather)
  )
}

export const options: Arbitrary.Arbitrary<Options> = Arbitrary.all({
  quota: Arbitrary.map(quota, ({ characters, period }) => ({ characters, period })),
  latency: Arbitrary.map(Arbitrary.schema(Leaves.int(0, 2000)), Duration.millis),
  seed: Arbitrary.schema(Leaves.int(0, 1_000_000)),
  readyAfter: Arbitrary.schema(Leaves.duration),
  weather: weather(),
  scripts: Arbitrary.array(script, { maxLength: 5 })
})
