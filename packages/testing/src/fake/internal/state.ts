/** The state of the fake, which changes only in synchronous steps. */
import type { KeyLimit } from "@effect-lingua/core/account/Admin"
import type { Authorization } from "@effect-lingua/core/call/Authorization"
import type { Resilience } from "@effect-lingua/core/call/Resilience"
import {
  type DocumentId,
  type EvaluationId,
  type JobId,
  KeyId,
  type TranslationMemoryId
} from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import { once } from "@effect-lingua/core/extension/Service"
import type { TranslatedSegment } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import type * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import type { OperationName } from "../../faults/Fault.ts"
import * as Rates from "../../faults/internal/rates.ts"
import * as Scripts from "../../faults/internal/scripts.ts"
import * as Masking from "./masking.ts"
import type { GlossaryState, Key, RecordedRequest, StyleRuleList } from "./model.ts"
import { Resources } from "./resources.ts"
import type * as Schemas from "./schemas.ts"
import * as Taught from "./texts/taught.ts"

interface Randomness {
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  readonly chance: () => number
  readonly hex: (digits: number) => string
  readonly uuid: () => string
}

/** The generator is made with its first use, because most fakes use one of four. */
const makeRandomness = (seed: string): Randomness => {
  const random = once(() => Effect.runSync(Random.withSeed(Random.Random, seed)))
  const chance = () => random().nextDoubleUnsafe()
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(chance() * 16).toString(16)).join("")
  const uuid = () =>
    [hex(8), hex(4), `4${hex(3)}`, `${(8 + Math.floor(chance() * 4)).toString(16)}${hex(3)}`, hex(12)].join("-")
  return { chance, hex, uuid }
}

export const defaultKey = "fake-key"

export const defaultAdminKey = "fake-admin-key:adm"

const defaultKeys: ReadonlyArray<Key> = [
  { key: defaultKey, tier: "paid", detectionEnabled: true },
  { key: defaultAdminKey, tier: "paid" }
]

export const isAdminKey = (key: string): boolean => key.endsWith(":adm")

const defaultSeed = "effect-lingua"

let unseeded = 0

export type Note = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] }

type Served = Authorization | Resilience | HttpRouter.HttpRouter

type Connected = (socket: Socket.Socket) => Effect.Effect<void>

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

export interface Resource {
  readonly group: HttpApiGroup.Constraint
  readonly handlers: Layer.Layer<never, never, Served>
  /** Responds to a path outside the contract, such as a file or a WebSocket; `undefined` for other paths. */
  readonly answer?: ((fake: Fake, url: string) => Answer | undefined) | undefined
  /** Serves an in-process WebSocket connection; `undefined` for other URLs. */
  readonly connect?: ((fake: Fake, url: string, now: number) => Connected | undefined) | undefined
  /** The resource's part of `FakeLanguageService.state`. */
  readonly state?: ((fake: Fake, now: number) => unknown) | undefined
  readonly secrets?: ((fake: Fake) => ReadonlyArray<readonly [label: string, value: string]>) | undefined
  /** Endpoints that start a job, which can fail after the response. */
  readonly starting?: ReadonlyArray<string> | undefined
  /** Scope prefix: `notes` for `notes:read` and `notes:write`. Default: keys with scopes have no access. */
  readonly scope?: string | undefined
}

export interface Options extends Schema.Schema.Type<typeof Schemas.Options> {
  readonly resources?: ReadonlyArray<Resource> | undefined
}

const settingsOf = ({ keys = defaultKeys, ...options }: Options) => ({
  keys,
  anyKey: options.anyKey === true,
  authSchemes: options.authSchemes ?? ["Service-Auth-Key"],
  quotaCharacters: options.quota?.characters ?? 1_000_000_000_000,
  quotaDocuments: options.quota?.documents,
  quotaTeamDocuments: options.quota?.teamDocuments,
  quotaPeriod: Math.max(1, Duration.toMillis(options.quota?.period ?? "30 days")),
  latency: Duration.fromInputUnsafe(options.latency ?? 0),
  seed: String(options.seed ?? defaultSeed),
  // Makes the ids of several fakes in one program differ.
  idSeed: String(options.seed ?? `${defaultSeed}/${++unseeded}`),
  readyAfter: options.readyAfter ?? "3 seconds",
  expiresAfter: options.expiresAfter ?? Duration.infinity,
  maxDocuments: options.maxDocuments ?? Infinity,
  maxDocumentBytes: options.maxDocumentBytes ?? 128 * 1024 * 1024,
  rateLimit: options.rateLimit,
  dialect: options.dialect ?? {},
  limits: { ...Limits.defaults, ...options.limits },
  taught: options.taught ?? {},
  scripts: options.scripts ?? [],
  weather: options.weather ?? {},
  basePath: (options.basePath ?? "").replace(/\/+$/, ""),
  headers: options.headers ?? {},
  remembered: options.remembered ?? 10_000,
  resources: options.resources ?? []
})

export type Settings = ReturnType<typeof settingsOf>

export interface StoredDocument {
  readonly id: DocumentId
  readonly key: string
  content: Uint8Array
  readonly contentType: string
  readonly fileName: string
  readonly targetLanguage: string | undefined
  readonly characters: number
  readonly created: number
  readonly ready: number
  readonly expires: number
  readonly fails: string | undefined
  taken: boolean
}

export interface StoredGlossary extends GlossaryState {
  readonly created: DateTime.Utc
  /** True once API version 3 has changed the glossary. */
  readonly edited: boolean
}

/** A dictionary with language codes in lower case, without a region. */
export type StoredDictionary = StoredGlossary["dictionaries"][number]

export interface StoredSegment {
  readonly source: string
  readonly targets: ReadonlyMap<string, string>
  readonly lastUsedTime?: DateTime.Utc
}

export interface StoredMemory {
  readonly id: TranslationMemoryId
  readonly name: string
  readonly source: string
  readonly targets: ReadonlyArray<string>
  readonly segments: ReadonlyArray<StoredSegment>
  readonly created: DateTime.Utc
}

interface StoredJob {
  readonly id: JobId
  readonly signature: string
  readonly created: DateTime.Utc
  readonly memoryId: TranslationMemoryId
}

export interface StoredImport extends StoredJob {
  readonly operation: "import"
  readonly contentType: string
  readonly contentLength: number
  readonly fileName: string
  readonly displayName: string | undefined
  readonly fails: string | undefined
  file: { readonly content: Uint8Array; readonly at: number } | undefined
  result: { readonly skipped: number } | { readonly error: string } | undefined
}

export interface StoredExport extends StoredJob {
  readonly operation: "export"
  readonly content: Uint8Array
  isFetched: boolean
}

export interface StoredKey {
  readonly id: KeyId
  readonly access: Key
  readonly created: DateTime.Utc
  label: string | undefined
  deactivated: DateTime.Utc | undefined
  limits: typeof noLimits
}

export interface StoredEvaluation {
  readonly id: EvaluationId
  readonly created: number
  readonly segments: ReadonlyArray<TranslatedSegment>
  readonly fails: string | undefined
}

export interface Counts {
  readonly text: number
  readonly document: number
  readonly improvement: number
}

export interface AccountQuota {
  characters: number
  used: number
  /** The document limit; `undefined` means unlimited. */
  documents: number | undefined
  teamDocuments: number | undefined
  usedDocuments: number
  period: number
  start: number
  readonly byKey: Map<string, Counts>
}

export interface DailyUsage {
  readonly key: string
  /** The start of the day in UTC. */
  readonly day: number
  readonly tag: string | undefined
  counts: Counts
}

export const noLimits: {
  readonly characters: KeyLimit
  readonly speechToTextMilliseconds: KeyLimit
  readonly speechToSpeechMilliseconds: KeyLimit
} = { characters: "unlimited", speechToTextMilliseconds: "unlimited", speechToSpeechMilliseconds: "unlimited" }

export const newKey = (
  keyIds: Randomness,
  access: Key,
  label: string | undefined,
  created: DateTime.Utc
): StoredKey => ({
  id: KeyId.make(`${keyIds.uuid()}:${keyIds.uuid()}`),
  access,
  created,
  label,
  deactivated: undefined,
  limits: noLimits
})

/** A new fake's state. Ids and faults have separate seeds, so that an additional fault does not change later ids. */
export const makeStore = (settings: Settings) => ({
  documents: new Resources<StoredDocument>("Document"),
  styleLists: new Resources<StyleRuleList>("Style rule list"),
  glossaries: new Resources<StoredGlossary>("Glossary"),
  memories: new Resources<StoredMemory>("Translation memory"),
  jobs: new Resources<StoredImport | StoredExport>("Job"),
  evaluations: new Resources<StoredEvaluation>("Evaluation"),
  /** Objects of extensions' resources. */
  kept: new Array<Resources<unknown>>(),
  /** Keyed by secret. */
  keys: new Map<string, StoredKey>(),
  /** Accounts of unknown keys, with the time of the last use. */
  guests: new Map<string, number>(),
  /** Accepted keys in all encodings of URLs and headers. */
  keyForms: Masking.forms(settings.keys.map(({ key }) => key)),
  usage: new Map<string, DailyUsage>(),
  windows: new Map<string, { readonly start: number; count: number }>(),
  quotas: new Map<string, AccountQuota>(),
  /** The start of the quotas' first period, set by {@link begin}. */
  began: 0,
  requests: new Array<Note>(),
  bodyCharacters: 0,
  effects: new Map<OperationName, { count: number; readonly ids: Array<string> }>(),
  taught: Taught.compile(settings.taught),
  scripts: settings.scripts.map(Scripts.begin),
  ids: makeRandomness(`${settings.idSeed}/ids`),
  keyIds: makeRandomness(`${settings.idSeed}/keys`),
  traces: makeRandomness(`${settings.seed}/traces`),
  chances: makeRandomness(`${settings.seed}/weather`),
  weather: Rates.compile(settings.weather),
  arrived: 0,
  /** Milliseconds by which the fake's time is ahead of the clock. */
  advanced: 0,
  isUsed: false
})

export type Store = ReturnType<typeof makeStore>

/** A reset replaces `store`; `changes` reports changes of the request record. */
export interface Fake {
  readonly settings: Settings
  readonly changes: PubSub.PubSub<void>
  connections: number
  readonly origin: string
  store: Store
}

export const make = Effect.fnUntraced(function*(
  options: Options,
  origin: string
): Effect.fn.Return<Fake> {
  const settings = settingsOf(options)
  return {
    settings,
    origin,
    changes: yield* PubSub.sliding<void>(1),
    connections: 0,
    store: makeStore(settings)
  }
})

/** Starts the fake's time at the first use, because the layer may be built with another clock. */
export const begin = ({ settings, store }: Fake, clock: Clock.Clock): void => {
  if (store.isUsed) return
  store.isUsed = true
  store.began = clock.currentTimeMillisUnsafe()
  const created = DateTime.makeUnsafe(store.began)
  for (const [index, access] of settings.keys.filter(({ key }) => !isAdminKey(key)).entries()) {
    store.keys.set(access.key, newKey(store.keyIds, access, `Key ${index + 1}`, created))
  }
}

export const ownerOf = ({ keys }: Settings, account: string | undefined): string => account ?? keys[0]?.account ?? ""

export const acceptedKey = ({ settings, store }: Fake, word: string): Key | undefined => {
  if (isAdminKey(word)) return settings.keys.find(({ key }) => key === word)
  const key = store.keys.get(word)
  return key?.deactivated === undefined ? key?.access : undefined
}
