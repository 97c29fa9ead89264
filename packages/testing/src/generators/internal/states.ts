/** States and settings of the fake: documents, quota, faults, weather, options. */
import { GlossaryLanguagePair } from "@effect-lingua/core/languages/LanguagesApi"
import * as Arbitrary from "effect/Arbitrary"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type {
  DocumentState,
  NewDocument,
  NewGlossary,
  NewStyleRuleList,
  NewTranslationMemory,
  Options,
  Quota
} from "../../fake/internal/model.ts"
import { Fault, OperationName } from "../../faults/Fault.ts"
import { Script } from "../../faults/Script.ts"
import { Weather } from "../../faults/Weather.ts"
import { derive } from "./derive.ts"
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

export const glossary: Arbitrary.Arbitrary<NewGlossary> = derive(GlossaryLanguagePair)

export const translationMemory: Arbitrary.Arbitrary<NewTranslationMemory> = Arbitrary.map(
  Arbitrary.all({ first: glossary, others: Arbitrary.array(glossary, { maxLength: 3 }) }),
  ({ first, others }) => ({
    sourceLanguage: first.sourceLanguage,
    targetLanguages: [first, ...others].map(({ targetLanguage }) => targetLanguage)
  })
)

const delay = perhaps(seconds)
const afterEffect = perhaps(Arbitrary.schema(Schema.Boolean))
const share = perhaps(Arbitrary.schema(Schema.Literals([0.5, 0, 0.9])))

const statuses = [429, 503, 529, 500, 502, 504, 400, 403, 404, 408, 413, 456, 200]

const kinds: readonly [Arbitrary.Arbitrary<Fault>, ...Array<Arbitrary.Arbitrary<Fault>>] = [
  Arbitrary.all({
    status: Arbitrary.map(Arbitrary.schema(Leaves.int(0, statuses.length - 1)), (index) => statuses[index] ?? 429),
    retryAfter: perhaps(seconds),
    delay,
    afterEffect
  }),
  Arbitrary.all({ reset: Arbitrary.Constant(true), delay, afterEffect }),
  Arbitrary.all({ delay: seconds, afterEffect }),
  Arbitrary.all({ truncated: Arbitrary.Constant(true), share, delay }),
  Arbitrary.all({ stalled: Arbitrary.Constant(true), share, delay }),
  Arbitrary.all({ malformed: Arbitrary.Constant(true), delay }),
  Arbitrary.all({ wrongLength: Arbitrary.schema(Schema.Literals([1, -1, 3])), delay }),
  Arbitrary.all({ jobFails: Arbitrary.Constant("The file is damaged."), delay })
]

const isFault = Schema.is(Fault)

export const fault: Arbitrary.Arbitrary<Fault> = Arbitrary.filter(
  Arbitrary.flatMap(Arbitrary.schema(Leaves.int(0, kinds.length - 1)), (index) => kinds[index] ?? kinds[0]),
  isFault
)

export const script: Arbitrary.Arbitrary<Script> = Arbitrary.filter(
  Arbitrary.all({
    fault,
    operation: perhaps(Arbitrary.schema(OperationName)),
    skip: perhaps(Arbitrary.schema(Leaves.int(0, 5))),
    every: perhaps(Arbitrary.schema(Leaves.int(1, 5))),
    count: perhaps(Arbitrary.schema(Leaves.int(1, 5)))
  }),
  Schema.is(Script)
)

/** The rates that a weather has. */
const rates = ((ast: SchemaAST.AST) =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map(({ name }) => String(name)).filter((name) => name.startsWith("rate"))
    : [])(Schema.toType(Weather).ast)

/** Bounds each rate in hundredths, so that their sum is at most 1. */
const most = Math.floor(100 / rates.length)

export const weather: Arbitrary.Arbitrary<Weather> = Arbitrary.filter(
  Arbitrary.map(
    Arbitrary.all({
      rates: Arbitrary.schema(
        Schema.Struct(Object.fromEntries(rates.map((name) => [name, Schema.optionalKey(Leaves.int(0, most))])))
      ),
      retryAfter: perhaps(seconds),
      slowBy: perhaps(seconds),
      operations: perhaps(Arbitrary.array(Arbitrary.schema(OperationName), { minLength: 1, maxLength: 3 })),
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

export const options: Arbitrary.Arbitrary<Options> = Arbitrary.all({
  quota: perhaps(Arbitrary.map(quota, ({ characters, period }) => ({ characters, period }))),
  latency: perhaps(Arbitrary.map(Arbitrary.schema(Leaves.int(0, 2000)), Duration.millis)),
  seed: perhaps(Arbitrary.schema(Leaves.int(0, 1_000_000))),
  readyAfter: perhaps(seconds),
  weather: perhaps(weather),
  scripts: perhaps(Arbitrary.array(script, { maxLength: 5 }))
})
