import type { CustomRequests, LanguageService, LanguageServiceApi, LanguageServiceClient } from "@effect-lingua/core"
import type { Admin, Usage } from "@effect-lingua/core/account"
import type { LanguageServiceConfig } from "@effect-lingua/core/config"
import type { Ids, Language } from "@effect-lingua/core/contract"
import type { Journal } from "@effect-lingua/core/documents"
import type { Documents, Documents as DocumentsModule, DocumentStatus } from "@effect-lingua/core/documents/Documents"
import type { CallError, ServiceError } from "@effect-lingua/core/errors"
import type { Glossaries } from "@effect-lingua/core/glossaries"
import type { Languages } from "@effect-lingua/core/languages"
import type { QualityEvaluation } from "@effect-lingua/core/quality-evaluation"
import type { StyleRules } from "@effect-lingua/core/style-rules"
import type { Detection, Writing } from "@effect-lingua/core/texts"
import type { Translate, Translated, Translation } from "@effect-lingua/core/texts/Translation"
import type {
  TranslationMemories,
  TranslationMemories as MemoriesModule
} from "@effect-lingua/core/translation-memories/TranslationMemories"
import { describe, it } from "@effect/vitest"
import { type Effect, type Layer, type Redacted, type Result, Schema, type Stream } from "effect"
import type { HttpClient } from "effect/http"
import { expectTypeOf } from "vitest"
import type { Common, Either, ErrorOf, Known, Refused, Unknown } from "../support/errorTags.ts"

type Failing = { readonly _tag: string }
type Run = Effect.Effect<unknown, Failing, unknown> | Stream.Stream<unknown, Failing, unknown>
type Method = Run | ((...args: never) => Run)
type Returned<M> = M extends (...args: never) => infer R ? R : M
type ServicesOf<X> = X extends Effect.Effect<infer _, infer _, infer R> | Stream.Stream<infer _, infer _, infer R> ? R
  : never
type Tags<M extends Method> = ErrorOf<Returned<M>> extends { readonly _tag: infer Tag } ? Tag : never
/** The success of an effect, or one element of a stream. */
type Value<M extends Method> = Returned<M> extends Effect.Effect<infer A, infer _, infer _> ? A
  : Returned<M> extends Stream.Stream<infer A, infer _, infer _> ? A
  : never
type AllServices<S extends Record<keyof S, Method>> = ServicesOf<Returned<S[keyof S]>>

/** The errors that a creation replaces by `OutcomeUnknown`. */
type Creation = Refused | Either | "OutcomeUnknown" | "LimitExceeded" | "QuotaExceeded"

const one = (translate: Translate) => translate({ text: "a", targetLanguage: "de" })
const list = (translate: Translate) => translate(["a"], { targetLanguage: "de" })

describe("types", () => {
  it("each group of the contract and of speech can have a policy of its own", () => {
    expectTypeOf<LanguageServiceConfig.ServiceName>().toEqualTypeOf<
      keyof typeof LanguageServiceApi.LanguageServiceApi["groups"] | "CustomRequests" | "SpokenTerms" | "Voice"
    >()
  })

  it("text improvement: results and failures are exactly these", () => {
    type Expected = Common | "UnsupportedMediaType" | "QuotaExceeded" | "BudgetExceeded" | "LimitExceeded"
    expectTypeOf<Tags<Writing["Service"]["rephrase"]>>().toEqualTypeOf<Expected>()
    expectTypeOf<Tags<Writing["Service"]["correct"]>>().toEqualTypeOf<Expected>()
    expectTypeOf<Value<Writing["Service"]["rephrase"]>>().toEqualTypeOf<
      Writing.Improvement | ReadonlyArray<Writing.Improvement>
    >()
    expectTypeOf<Value<Writing["Service"]["correct"]>>().toEqualTypeOf<
      Writing.Improvement | ReadonlyArray<Writing.Improvement>
    >()
    expectTypeOf<AllServices<Pick<Writing["Service"], "rephrase" | "correct">>>().toEqualTypeOf<never>()
  })

  it("methods for texts have the types of their interfaces, with their errors", () => {
    expectTypeOf<Translation["Service"]["translate"]>().toEqualTypeOf<Translate>()
    expectTypeOf<Writing["Service"]["rephrase"]>().toEqualTypeOf<Writing.Rephrase>()
    expectTypeOf<Writing["Service"]["correct"]>().toEqualTypeOf<Writing.Correct>()
    expectTypeOf<Detection["Service"]["detect"]>().toEqualTypeOf<Detection.Detect>()
    type Failure = CallError.ErrorOf<typeof Translation, "translate">
    expectTypeOf<ReturnType<typeof one>>().toEqualTypeOf<Effect.Effect<Translated, Failure>>()
    expectTypeOf<ReturnType<typeof list>>().toEqualTypeOf<Effect.Effect<ReadonlyArray<Translated>, Failure>>()
  })

  it("glossaries: results and failures are exactly these", () => {
    type Service = Glossaries["Service"]
    type Asking = Common | "NotFound" | "UnsupportedMediaType" | "TooManyGlossaryRequests" | "QuotaExceeded"
    type Invalid = "InvalidEntries" | "LimitExceeded"
    type Creating = Exclude<Asking, Unknown> | Invalid | "OutcomeUnknown"
    expectTypeOf<Tags<Service["list" | "get" | "remove" | "entries" | "removeDictionary"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["create"]>>().toEqualTypeOf<Creating>()
    expectTypeOf<Tags<Service["merge" | "replaceDictionary"]>>().toEqualTypeOf<Asking | Invalid>()
    expectTypeOf<Tags<Service["plan"]>>().toEqualTypeOf<Asking | Invalid | "DuplicateGlossaries">()
    expectTypeOf<Tags<Service["sync"]>>().toEqualTypeOf<Asking | Creating | "DuplicateGlossaries">()
  })

  it("language detection: results and failures are exactly these", () => {
    expectTypeOf<Tags<Detection["Service"]["detect"]>>().toEqualTypeOf<
      Common | "UnsupportedMediaType" | "QuotaExceeded" | "LimitExceeded"
    >()
    expectTypeOf<Value<Detection["Service"]["detect"]>>().toEqualTypeOf<
      Detection.DetectionResult | ReadonlyArray<Detection.DetectionResult>
    >()
    expectTypeOf<Detection.DetectionResult["_tag"]>().toEqualTypeOf<"Detected" | "Undetected">()
    expectTypeOf<Extract<Detection.DetectionResult, { _tag: "Detected" }>["language"]>().toEqualTypeOf<
      Language.DetectedLanguage
    >()
    expectTypeOf<AllServices<Pick<Detection["Service"], "detect">>>().toEqualTypeOf<never>()
  })

  it("quality evaluation: results and failures are exactly these", () => {
    type Service = QualityEvaluation["Service"]
    type Starting = Exclude<Creation, "QuotaExceeded">
    type Waiting = Common | "NotFound" | "JobFailed" | "JobNotDone"
    expectTypeOf<Tags<Service["start"]>>().toEqualTypeOf<Starting>()
    expectTypeOf<Tags<Service["status"]>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<Service["wait"]>>().toEqualTypeOf<Waiting>()
    expectTypeOf<Tags<Service["evaluate"]>>().toEqualTypeOf<Starting | Waiting>()
    expectTypeOf<AllServices<Service>>().toEqualTypeOf<never>()
    expectTypeOf<Known<QualityEvaluation.EvaluationState>>().toEqualTypeOf<"processing" | "done" | "error">()
  })

  it("language listing: results and failures are exactly these", () => {
    type Service = Languages["Service"]
    expectTypeOf<Tags<Service["list"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Tags<Service["resources"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Tags<Service["listV2"]>>().toEqualTypeOf<Common | "NotFound" | "QuotaExceeded">()
    expectTypeOf<Tags<Service["glossaryPairs"]>>().toEqualTypeOf<
      Common | "NotFound" | "QuotaExceeded" | "UnsupportedMediaType"
    >()
    expectTypeOf<Tags<Service["sources"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Tags<Service["targets"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Tags<Service["find"]>>().toEqualTypeOf<Common | "UnknownLanguage">()
    expectTypeOf<Tags<Service["supports"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Effect.Error<ReturnType<Service["invalidate"]>>>().toEqualTypeOf<never>()
    expectTypeOf<Value<Service["targets"]>>().toEqualTypeOf<ReadonlyArray<Languages.Language>>()
    expectTypeOf<Value<Service["supports"]>>().toEqualTypeOf<boolean>()
    expectTypeOf<ServiceError.BadRequest["languages"]>().toEqualTypeOf<
      ReadonlyArray<Language.LanguageListed> | undefined
    >()
    expectTypeOf<AllServices<Service>>().toEqualTypeOf<never>()
  })

  it("translation: results and failures are exactly these", () => {
    type Translate = Translation["Service"]["translate"]
    expectTypeOf<Tags<Translate>>().toEqualTypeOf<
      Common | "NotFound" | "UriTooLong" | "QuotaExceeded" | "BudgetExceeded" | "LimitExceeded"
    >()
    expectTypeOf<Value<Translate>>().toEqualTypeOf<Translated | ReadonlyArray<Translated>>()
    expectTypeOf<AllServices<Pick<Translation["Service"], "translate">>>().toEqualTypeOf<never>()
  })

  it("administration: results and failures are exactly these, and its key is apart", () => {
    type Service = Admin["Service"]
    type Asking = Common | "NotFound"
    expectTypeOf<Tags<Service["createKey"]>>().toEqualTypeOf<
      Exclude<Creation, "LimitExceeded" | "QuotaExceeded"> | "NotFound"
    >()
    expectTypeOf<Tags<Service["listKeys"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["deactivateKey"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["setKeyLabel"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["setKeyLimits"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["analytics"]>>().toEqualTypeOf<Asking | "LimitExceeded">()
    expectTypeOf<Tags<Service["listCustomTagUsagePage"]>>().toEqualTypeOf<Asking | "LimitExceeded">()
    expectTypeOf<Tags<Service["listCustomTagUsage"]>>().toEqualTypeOf<Asking | "LimitExceeded">()
    expectTypeOf<Value<Service["createKey"]>["secret"]>().toEqualTypeOf<Redacted.Redacted | undefined>()
    expectTypeOf<Admin.KeyLimit>().toEqualTypeOf<number | "unlimited">()
    expectTypeOf<Admin.Options>().not.toHaveProperty("key")
    expectTypeOf<LanguageServiceConfig.Options>().not.toExtend<Admin.Options>()
    expectTypeOf<Admin.Options>().not.toExtend<LanguageServiceConfig.Options>()
    expectTypeOf<Extract<LanguageService.LanguageService, Admin>>().toEqualTypeOf<never>()
    expectTypeOf<AllServices<Service>>().toEqualTypeOf<never>()
  })

  it("usage: results and failures are exactly these", () => {
    type Service = Usage["Service"]
    type Asking = Common | "NotFound" | "QuotaExceeded"
    expectTypeOf<Tags<Service["get"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["remaining"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Value<Service["remaining"]>>().toEqualTypeOf<number | "unlimited" | "unknown">()
    type Thresholds = ReturnType<Service["thresholds"]>
    expectTypeOf<Stream.Success<Thresholds>>().toEqualTypeOf<Usage.ThresholdReached>()
    // Errors that are always transient do not end it.
    expectTypeOf<Stream.Error<Thresholds>["_tag"]>().toEqualTypeOf<
      | "AccessDenied"
      | "BadRequest"
      | "ConnectionFailed"
      | "InvalidInput"
      | "InvalidKey"
      | "MissingScope"
      | "NotFound"
      | "PayloadTooLarge"
      | "QuotaExceeded"
      | "UnexpectedResponse"
      | "WrongTier"
    >()
    expectTypeOf<AllServices<Service>>().toEqualTypeOf<never>()
    expectTypeOf<Known<Usage.Product>>().toEqualTypeOf<"translate" | "write" | "speechToText" | "speechToSpeech">()
    expectTypeOf<Known<Usage.BillingUnit>>().toEqualTypeOf<"characters" | "minutes">()
  })

  it("translation to several languages: a record with exactly the targets", () => {
    const text = ["a"]
    const into = (translation: Translation["Service"]) =>
      translation.translateInto({ text, targetLanguages: ["de", "xx"] })
    const each = (translation: Translation["Service"]) =>
      translation.translateInto({ text, targetLanguages: ["de", "xx"], onError: "result" })
    expectTypeOf<keyof Value<typeof into>>().toEqualTypeOf<"de" | "xx">()
    expectTypeOf<Value<typeof into>["xx"]>().toEqualTypeOf<ReadonlyArray<Translated>>()
    expectTypeOf<Tags<typeof into>>().toEqualTypeOf<Tags<Translation["Service"]["translate"]>>()
    expectTypeOf<Tags<typeof each>>().toEqualTypeOf<"InvalidInput" | "LimitExceeded">()
    expectTypeOf<Result.Result.Failure<Value<typeof each>["de"]>["_tag"]>().toEqualTypeOf<
      Exclude<Tags<Translation["Service"]["translate"]>, "LimitExceeded">
    >()
  })

  it("requests outside of the contract: OutcomeUnknown unless the effect of a repeat is declared", () => {
    const Job = Schema.Struct({ at: Schema.DateFromString })
    const job = { method: "POST", path: "/v1/jobs", success: Job } as const
    type Any = "NotFound" | "UriTooLong" | "UnsupportedMediaType" | "QuotaExceeded"
    const read = (requests: CustomRequests["Service"]) => requests.send({ ...job, repeat: "Read" })
    const make = (requests: CustomRequests["Service"]) => requests.send(job)
    const get = (requests: CustomRequests["Service"]) => requests.send({ ...job, method: "GET" })
    const plain = { method: "DELETE", path: "/v1/jobs" } as const
    const nothing = (requests: CustomRequests["Service"]) => requests.send(plain)
    expectTypeOf<Tags<typeof read>>().toEqualTypeOf<Common | Any>()
    expectTypeOf<Tags<typeof get>>().toEqualTypeOf<Tags<typeof read>>()
    expectTypeOf<Tags<typeof make>>().toEqualTypeOf<Refused | Either | "OutcomeUnknown" | Any>()
    expectTypeOf<Tags<typeof nothing>>().toEqualTypeOf<Tags<typeof make>>()
    expectTypeOf<Value<typeof read>>().toEqualTypeOf<{ readonly at: Date }>()
    expectTypeOf<Value<typeof make>>().toEqualTypeOf<{ readonly at: Date }>()
    expectTypeOf<Value<typeof nothing>>().toEqualTypeOf<void>()
    expectTypeOf<Effect.Services<ReturnType<typeof read | typeof make>>>().toEqualTypeOf<never>()
  })

  it("documents: results and failures are exactly these", () => {
    type Service = Documents["Service"]
    type Asking = Common | "DocumentNotFound" | "DocumentAlreadyDownloaded" | "QuotaExceeded"
    type Wait = Asking | "DocumentNotReady" | "DocumentFailed"
    type Upload = Creation | "BudgetExceeded" | "Busy" | "NotFound" | "TooManyDocuments" | "SourceFailed"
    expectTypeOf<Tags<Service["download"]>>().toEqualTypeOf<Wait | "DownloadInterrupted">()
    expectTypeOf<Tags<Service["upload"]>>().toEqualTypeOf<Upload>()
    expectTypeOf<Tags<Service["status"]>>().toEqualTypeOf<Asking>()
    expectTypeOf<Tags<Service["wait"]>>().toEqualTypeOf<Wait>()
    expectTypeOf<Tags<Service["translate"]>>().toEqualTypeOf<Upload | Wait | "DownloadInterrupted" | "NotResumable">()
    expectTypeOf<Tags<Service["resume"]>>().toEqualTypeOf<
      Wait | "DownloadInterrupted" | "Busy" | "NotResumable"
    >()
    expectTypeOf<Tags<Service["forget"]>>().toEqualTypeOf<"Busy" | "InvalidInput" | "NotResumable">()
    expectTypeOf<Tags<Service["adopt"]>>().toEqualTypeOf<Asking | "Busy" | "NotResumable">()
    expectTypeOf<Value<Service["pending"]>>().toExtend<ReadonlyArray<Journal.Entry>>()
    expectTypeOf<Value<Service["upload"]>>().toExtend<Documents.DocumentRef>()
    expectTypeOf<Value<Service["status"]>>().toExtend<DocumentStatus & { readonly documentId: Ids.DocumentId }>()
    expectTypeOf<Stream.Error<Documents.Download["stream"]>["_tag"]>().toEqualTypeOf<"DownloadInterrupted">()
    expectTypeOf<AllServices<Omit<Service, "journal" | "owner" | "pending">>>().toEqualTypeOf<never>()
  })

  it("style rules: results and failures are exactly these", () => {
    type Service = StyleRules["Service"]
    expectTypeOf<Tags<Service["list"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Tags<Service["get"]>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<Service["rename"]>>().toEqualTypeOf<Common | "NotFound" | "QuotaExceeded" | "LimitExceeded">()
    expectTypeOf<Tags<Service["remove"]>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<Service["replaceConfiguredRules"]>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<Service["getInstruction"]>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<Service["replaceInstruction"]>>().toEqualTypeOf<Common | "NotFound" | "LimitExceeded">()
    expectTypeOf<Tags<Service["removeInstruction"]>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<Service["listPage"]>>().toEqualTypeOf<Common>()
    expectTypeOf<Value<Service["listPage"]>>().toEqualTypeOf<ReadonlyArray<StyleRules.StyleRuleListEntry>>()
    expectTypeOf<AllServices<Service>>().toEqualTypeOf<never>()
    expectTypeOf<Tags<Service["plan"]>>().toEqualTypeOf<
      Common | "NotFound" | "LimitExceeded" | "DuplicateStyleRules"
    >()
    expectTypeOf<Tags<Service["apply"]>>().toEqualTypeOf<
      Common | "NotFound" | "LimitExceeded" | "QuotaExceeded" | "OutcomeUnknown"
    >()
    expectTypeOf<Tags<Service["sync"]>>().toEqualTypeOf<
      Common | "NotFound" | "LimitExceeded" | "QuotaExceeded" | "OutcomeUnknown" | "DuplicateStyleRules"
    >()
    expectTypeOf<Value<Service["remove"]>>().toEqualTypeOf<void>()
  })

  it("OutcomeUnknown replaces all unknown outcomes of creations, and of no other call", () => {
    type Service = StyleRules["Service"]
    expectTypeOf<Tags<Service["create"]>>().toEqualTypeOf<Creation>()
    expectTypeOf<Tags<Service["addInstruction"]>>().toEqualTypeOf<Creation | "NotFound">()
    expectTypeOf<Extract<Tags<Service["create"]>, Unknown>>().toEqualTypeOf<never>()
    type Others =
      | Service[Exclude<keyof Service, "create" | "addInstruction" | "apply" | "sync">]
      | Detection["Service"]["detect"]
      | Documents["Service"]["download"]
      | Documents["Service"]["status"]
      | Languages["Service"][keyof Languages["Service"]]
      | Translation["Service"]["translate"]
      | Writing["Service"]["rephrase"]
      | Writing["Service"]["correct"]
    expectTypeOf<Extract<Tags<Others>, "OutcomeUnknown">>().toEqualTypeOf<never>()
  })

  it("tone and writing style exclude each other at compile time", () => {
    const text = ["a"]
    const tone: Writing.RephraseOptions = { text, tone: "friendly" }
    const style: Writing.RephraseOptions = { text, writingStyle: "business" }
    const withDefault: ReadonlyArray<Writing.RephraseOptions> = [
      { text, tone: "friendly", writingStyle: "default" },
      { text, tone: "default", writingStyle: "business" },
      { text, tone: "default", writingStyle: "default" },
      { text, tone: undefined, writingStyle: undefined }
    ]
    // @ts-expect-error both
    const both: Writing.RephraseOptions = { text, tone: "friendly", writingStyle: "business" }
    // @ts-expect-error no texts
    const none: Writing.RephraseOptions = { tone: "friendly" }
    expectTypeOf([tone, style, ...withDefault, both, none]).toExtend<ReadonlyArray<Writing.RephraseOptions>>()
  })

  it("the ids of errors are accepted by the methods of their services", () => {
    type Input<M> = M extends (...input: infer Input) => unknown ? Input[0] : never
    type Job = Pick<CallError.JobNotDone | CallError.TransferFailed | ServiceError.JobFailed, "jobId">
    type Started = { readonly jobId: NonNullable<CallError.JobNotDone["job"]> }
    expectTypeOf<Job | Started>().toExtend<Input<QualityEvaluation["Service"]["wait"]>>()
    expectTypeOf<Job | Started>().toExtend<Input<TranslationMemories["Service"]["wait"]>>()
    expectTypeOf<NonNullable<CallError.SourceFailed["document"]>>().toExtend<Input<Documents["Service"]["wait"]>>()
    expectTypeOf<CallError.DownloadInterrupted["documentId"]>().toEqualTypeOf<Ids.DocumentId>()
    expectTypeOf<ServiceError.DocumentFailed["documentId"]>().toEqualTypeOf<Ids.DocumentId>()
    expectTypeOf<{ readonly styleId: CallError.DuplicateStyleRules["styleIds"][number] }>().toExtend<
      Input<StyleRules["Service"]["get"]>
    >()
    expectTypeOf<{ readonly glossaryId: CallError.DuplicateGlossaries["glossaryIds"][number] }>().toExtend<
      Input<Glossaries["Service"]["get"]>
    >()
  })

  it("the types that signatures of a service name are exported by its module", () => {
    expectTypeOf<DocumentsModule.UploadOptions["formality"]>().toEqualTypeOf<DocumentsModule.Formality | undefined>()
    expectTypeOf<MemoriesModule.Job["operation"]>().toEqualTypeOf<MemoriesModule.JobOperation | undefined>()
  })

  it("open sets complete their known values and accept any other", () => {
    expectTypeOf<"default" | "friendly" | "prefer_friendly">().toExtend<Known<Writing.Tone>>()
    expectTypeOf<"default" | "business" | "prefer_business">().toExtend<Known<Writing.WritingStyle>>()
    expectTypeOf<Known<Language.ImprovementLanguage>>().toEqualTypeOf<
      "de" | "en-GB" | "en-US" | "es" | "fr" | "it" | "ja" | "ko" | "pt-BR" | "pt-PT" | "zh" | "zh-Hans"
    >()
    expectTypeOf<"en" | "de" | "th">().toExtend<Known<Language.DetectedLanguage>>()
    expectTypeOf<Exclude<Known<Language.DetectedLanguage>, Known<Language.LanguageCode>>>().toEqualTypeOf<never>()
    expectTypeOf<string>().toExtend<
      & Writing.Tone
      & Writing.WritingStyle
      & Language.ImprovementLanguage
      & Language.StyleRuleLanguage
      & Languages.LanguageResource
      & Languages.LanguageInclude
      & Language.LanguageCode
      & Language.DetectedLanguage
    >()
  })

  it("a plain text is an id, and ids of two kinds exclude each other", () => {
    expectTypeOf<string>().toExtend<Ids.StyleId>()
    expectTypeOf<Ids.InstructionId>().not.toExtend<Ids.StyleId>()
    expectTypeOf<Ids.StyleId>().toExtend<string>()
  })

  it("services over one client may need its HttpClient", () => {
    type Own = Layer.Layer<Languages, never, HttpClient.HttpClient>
    expectTypeOf<Own>().toExtend<Parameters<typeof LanguageServiceClient.layerOf<Languages>>[0]>()
    expectTypeOf<Own>().toExtend<Parameters<typeof LanguageServiceClient.layerShared<Languages>>[0]>()
  })
})
