/** States and settings of the fake: documents, quota, faults, weather, options. */
import { GlossaryLanguagePair } from "@effect-lingua/core/languages/Languages"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type {
  DocumentState,
  NewDocument,
  NewGlossary,
  NewStyleRuleList,
  NewTranslationMemory,
  Options,
  Quota
} from "../../fake/internal/model.ts"
import { Alteration, Fault, type OperationName } from "../../faults/Fault.ts"
import { isDeclared, type KindName, kindNames, kindOf, kinds } from "../../faults/internal/kinds.ts"
import { operation, operationNames } from "../../faults/internal/operations.ts"
import * as Rates from "../../faults/internal/rates.ts"
import { Script } from "../../faults/Script.ts"
import { Weather } from "../../faults/Weather.ts"
import { derive } from "./derive.ts"
import { languagePair } from "./glossaries.ts"
import * as Leaves from "./leaves.ts"
import { requests } from "./records.ts"

const seconds = Arbitrary.schema(Leaves.duration)

/** A value that is present half of the time, and shrinks to absent. */
const perhaps = <A>(value: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<A | undefined> =>
  Arbitrary.map(
    Arbitrary.all({ value, there: Arbitrary.schema(Schema.Boolean) }),
    ({ there, value }) => there ? value : undefined
  )

const content = Arbitrary.map(
  Arbitrary.all({ text: Arbitrary.schema(Leaves.text), bytes: perhaps(Arbitrary.schema(Schema.Uint8Array)) }),
  ({ bytes, text }): string | Uint8Array => bytes ?? text
)

const fileName = Arbitrary.schema(
  Leaves.pick(["document.txt", "a.html", "報告.docx", "slides.pptx", "sheet.xlsx", "paper (1).pdf", "no extension"])
)

export const document: Arbitrary.Arbitrary<NewDocument> = Arbitrary.all({
  content,
  fileName: perhaps(fileName),
  readyAfter: perhaps(seconds),
  fails: perhaps(Arbitrary.schema(Leaves.pick(["Source and target language are equal.", "The file is damaged."]))),
  characters: perhaps(Arbitrary.schema(Leaves.int(0, 100_000)))
})

/** A document and how long it takes until it is in a state. */
export interface StagedDocument {
  readonly status: DocumentState["status"]
  readonly document: NewDocument
  /** Time to let pass after the document was added. A document that is `gone` is to be downloaded then. */
  readonly after: Duration.Duration
}

/** The share of its time after which a document reaches a state; absent for states that it has at once. */
const shares: Readonly<Partial<Record<DocumentState["status"], number>>> = { queued: 0, translating: 0.5 }

export const staged = (status: DocumentState["status"]): Arbitrary.Arbitrary<StagedDocument> =>
  Arbitrary.map(
    Arbitrary.all({ document, millis: Arbitrary.schema(Leaves.int(1000, 3_600_000)) }),
    ({ document, millis }) => ({
      status,
      document: {
        ...document,
        readyAfter: Duration.millis(millis),
        fails: status === "error" ? document.fails ?? "The file is damaged." : undefined
      },
      after: Duration.millis(Math.ceil(millis * (shares[status] ?? 1)))
    })
  )

export const quota: Arbitrary.Arbitrary<Quota> = Arbitrary.map(
  Arbitrary.all({
    left: Arbitrary.schema(Leaves.int(0, 500_000)),
    used: Arbitrary.schema(Leaves.int(0, 500_000)),
    period: seconds
  }),
  ({ left, period, used }) => ({
    characters: used + left,
    used,
    period: Duration.sum(period, Duration.seconds(1))
  })
)

export const styleRuleList: Arbitrary.Arbitrary<NewStyleRuleList> = requests["StyleRules.create"]

export const glossary: Arbitrary.Arbitrary<NewGlossary> = languagePair

const memoryPair = derive(GlossaryLanguagePair)

export const translationMemory: Arbitrary.Arbitrary<NewTranslationMemory> = Arbitrary.map(
  Arbitrary.all({ first: memoryPair, others: Arbitrary.array(memoryPair, { maxLength: 3 }) }),
  ({ first, others }) => ({
    sourceLanguage: first.sourceLanguage,
    targetLanguages: [first, ...others].map(({ targetLanguage }) => targetLanguage)
  })
)

/** The values of each key of a fault, of which those of a status are declared for one of the operations. */
const valuesOf = (operations: ReadonlyArray<OperationName>) => {
  const statuses = Array.from(new Set(operations.flatMap((name) => Array.from(operation(name).errors.keys()))))
  return {
    status: Arbitrary.map(Arbitrary.schema(Leaves.int(0, statuses.length - 1)), (index) => statuses[index] ?? 429),
    reset: Arbitrary.Constant(true),
    truncated: Arbitrary.Constant(true),
    stalled: Arbitrary.Constant(true),
    malformed: Arbitrary.Constant(true),
    wrongLength: Arbitrary.schema(Schema.Literals([1, -1, 3])),
    altered: Arbitrary.schema(Alteration),
    jobFails: Arbitrary.Constant("The file is damaged."),
    retryAfter: seconds,
    description: Arbitrary.schema(Leaves.text),
    body: Arbitrary.schema(Leaves.pick(["{}", "", "<html>Bad gateway</html>", "null", `{"message":"Grüße"}`])),
    headers: Arbitrary.map(Arbitrary.schema(Leaves.hexDigits(32)), (id) => ({ "x-trace-id": id })),
    bytes: Arbitrary.schema(Leaves.int(0, 200)),
    share: Arbitrary.schema(Schema.Literals([0.5, 0, 0.9])),
    delay: seconds,
    afterEffect: Arbitrary.schema(Schema.Boolean)
  } satisfies Readonly<
    Record<KindName | (typeof kinds)[KindName]["others"][number], Arbitrary.Arbitrary<unknown>>
  >
}

const Operation = Schema.Literals(operationNames)

const isFault = Schema.is(Fault)

/** Generates the faults of each kind that an operation can have, or any, except spoiled texts. */
export const fault = (name?: OperationName): Arbitrary.Arbitrary<Fault> => {
  const operations = name === undefined ? operationNames : [name]
  const fitting = kindNames.filter((kind) =>
    kind !== "altered" && operations.some((name) => kindOf(kind).mismatch?.(name) === undefined)
  )
  const values = valuesOf(operations)
  return Arbitrary.filter(
    Arbitrary.flatMap(Arbitrary.schema(Leaves.int(0, fitting.length - 1)), (index) => {
      const kind = fitting[index] ?? "status"
      return Arbitrary.all({
        ...Object.fromEntries(kinds[kind].others.map((key) => [key, perhaps<unknown>(values[key])])),
        [kind]: values[kind]
      })
    }),
    isFault
  )
}

export const script: Arbitrary.Arbitrary<Script> = Arbitrary.filter(
  Arbitrary.flatMap(perhaps(Arbitrary.schema(Operation)), (operation) =>
    Arbitrary.all({
      fault: fault(operation),
      operation: Arbitrary.Constant(operation),
      skip: perhaps(Arbitrary.schema(Leaves.int(0, 5))),
      every: perhaps(Arbitrary.schema(Leaves.int(1, 5))),
      count: perhaps(Arbitrary.schema(Leaves.int(1, 5)))
    })),
  Schema.is(Script)
)

const details = { retryAfter: undefined, slowBy: "1 second" } as const

/** Generates weathers of an operation, with the rates of faults that it can have, or any. */
export const weather = (name?: OperationName): Arbitrary.Arbitrary<Weather> => {
  const rates = Struct.keys(Rates.faults).filter((rate) =>
    name === undefined || isDeclared(Rates.faults[rate](details), name)
  )
  /** Bounds each rate in hundredths, so that their sum is at most 1. */
  const most = Math.floor(100 / rates.length)
  return Arbitrary.filter(
    Arbitrary.map(
      Arbitrary.all({
        rates: Arbitrary.schema(
          Schema.Struct(Object.fromEntries(rates.map((rate) => [rate, Schema.optionalKey(Leaves.int(0, most))])))
        ),
        retryAfter: perhaps(seconds),
        slowBy: perhaps(seconds),
        operations: name === undefined
          ? perhaps(Arbitrary.array(Arbitrary.schema(Operation), { minLength: 1, maxLength: 3 }))
          : Arbitrary.Constant([name]),
        afterEffect: perhaps(Arbitrary.schema(Leaves.int(0, 100)))
      }),
      ({ afterEffect, rates, ...rest }): object => ({
        ...Object.fromEntries(Object.entries(rates).map(([name, hundredths]) => [name, Number(hundredths) / 100])),
        ...rest,
        ...(afterEffect === undefined ? undefined : { afterEffect: afterEffect / 100 })
      })
    ),
    Schema.is(Weather)
  )
}

export const options: Arbitrary.Arbitrary<Options> = Arbitrary.all({
  quota: perhaps(Arbitrary.map(quota, ({ characters, period }) => ({ characters, period }))),
  latency: perhaps(Arbitrary.map(Arbitrary.schema(Leaves.int(0, 2000)), Duration.millis)),
  seed: perhaps(Arbitrary.schema(Leaves.int(0, 1_000_000))),
  readyAfter: perhaps(seconds),
  weather: perhaps(weather()),
  scripts: perhaps(Arbitrary.array(script, { maxLength: 5 }))
})
