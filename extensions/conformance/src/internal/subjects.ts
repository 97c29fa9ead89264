/** Hosts under test: a fake, and the host that the environment names. */
import { config as configOf, LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import type { Documents } from "@effect-lingua/core/documents/Documents"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import { FakeLanguageService, type Key } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import { noting, notOffered } from "./check.ts"
import { makeRunId } from "./lists.ts"
import {
  type FinishedDocument,
  type NotOffered,
  type Offered,
  type Offers,
  type Requirements,
  Subject
} from "./model.ts"

/** Provides the client's services, and a `Subject` with the offers. */
const layer = (
  options: LanguageServiceConfig.Options,
  offers: Offered
): Layer.Layer<Requirements, LanguageServiceConfig.InvalidConfiguration, HttpClient.HttpClient> => {
  const config = LanguageServiceConfig.layer(options)
  const subject = Layer.effect(
    Subject,
    Effect.gen(function*() {
      const { tier } = yield* LanguageServiceConfig
      return {
        runId: yield* makeRunId,
        offers: { ...offers, paidTier: tier === "paid" ? true as const : undefined }
      }
    })
  )
  const services = Layer.fresh(Layer.provideMerge(OtherServices.layer, LanguageService.layerNoConfig))
  return Layer.merge(subject, services).pipe(
    Layer.provideMerge(Layer.effect(
      HttpClient.HttpClient,
      Effect.gen(function*() {
        const { baseUrl } = yield* LanguageServiceConfig
        return noting(yield* HttpClient.HttpClient, baseUrl)
      })
    )),
    Layer.provideMerge(config)
  )
}

const scopedKey = "fake-scoped-key"
const freeKey = "fake-free-key"
const keyWithoutDetection = "fake-key-without-detection"

export const keys: ReadonlyArray<Key> = [
  { key: FakeLanguageService.defaultKey, tier: "paid", detectionEnabled: true },
  { key: scopedKey, tier: "paid", scopes: ["translate:text"] },
  { key: freeKey, tier: "free", account: "free", detectionEnabled: true },
  { key: keyWithoutDetection, tier: "paid" },
  { key: FakeLanguageService.defaultAdminKey, tier: "paid" }
]

/** Content of several chunks. */
const content = new TextEncoder().encode("Hallo Welt. ".repeat(5000))

/** The context's fake, which offers everything. */
export const layerHandle = (
  advance: Offers["advance"] | undefined,
  authScheme: string | undefined
): Layer.Layer<Requirements, never, FakeLanguageService | HttpClient.HttpClient> =>
  Layer.unwrap(Effect.gen(function*() {
    const fake = yield* FakeLanguageService
    const { addDocument, url } = fake
    // The in-process fake provides WebSockets.
    const fakeSockets = yield* Effect.serviceOption(Socket.WebSocketConstructor)
    const offers: Offered = {
      characters: true,
      detection: true,
      document: addDocument({ content, readyAfter: 0, characters: 0 }),
      finishedDocument: Effect.map(
        addDocument({ content, readyAfter: 0, characters: 0 }),
        (document) => ({ ...document, content })
      ),
      unfinishedDocument: addDocument({ content, readyAfter: "1 day", characters: 0 }),
      failedDocument: addDocument({ content, readyAfter: 0, characters: 0, fails: "File is damaged" }),
      scopedKey: Redacted.make(scopedKey),
      freeKey: Redacted.make(freeKey),
      keyWithoutDetection: Redacted.make(keyWithoutDetection),
      adminKey: Redacted.make(FakeLanguageService.defaultAdminKey),
      createKeys: true,
      fake,
      webSocket: Option.getOrElse(fakeSockets, () => (address) => new globalThis.WebSocket(address)),
      advance
    }
    return Layer.orDie(
      layer({ key: Redacted.make(FakeLanguageService.defaultKey), authScheme, baseUrl: url, allowHttp: true }, offers)
    )
  }))

const orUndefined = <A>(config: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(config), Option.getOrUndefined)

/** Reads a document's id and key. Fails if only one of the two variables is set. */
const documentConfig = (name: string): Config.Config<Documents.DocumentRef | undefined> =>
  Config.all({
    id: orUndefined(Config.NonEmptyString(`${name}_ID`)),
    key: orUndefined(Config.Redacted(`${name}_KEY`))
  }).pipe(
    Config.mapEffect(({ id, key }) =>
      id === undefined && key === undefined
        ? Effect.succeed(undefined)
        : id === undefined || key === undefined
        ? Effect.fail(
          new Config.ConfigError(
            new ConfigProvider.SourceError({
              message: `${name}_ID and ${name}_KEY belong together, and one is missing`
            })
          )
        )
        : Effect.succeed({ documentId: DocumentId.make(id), documentKey: key })
    )
  )

const trueOrUndefined = (name: string): Config.Config<true | undefined> =>
  Config.map(orUndefined(Config.Boolean(name)), (value) => value === true ? value : undefined)

const config = Config.all({
  characters: trueOrUndefined("CONFORMANCE_SPEND_CHARACTERS"),
  detection: trueOrUndefined("CONFORMANCE_DETECTION"),
  scopedKey: orUndefined(Config.Redacted("CONFORMANCE_SCOPED_KEY")),
  freeKey: orUndefined(Config.Redacted("CONFORMANCE_FREE_KEY")),
  keyWithoutDetection: orUndefined(Config.Redacted("CONFORMANCE_KEY_WITHOUT_DETECTION")),
  adminKey: orUndefined(Config.Redacted("CONFORMANCE_ADMIN_KEY")),
  createKeys: trueOrUndefined("CONFORMANCE_CREATE_KEYS"),
  finished: documentConfig("CONFORMANCE_DOCUMENT"),
  unfinished: documentConfig("CONFORMANCE_UNFINISHED_DOCUMENT"),
  failed: documentConfig("CONFORMANCE_FAILED_DOCUMENT"),
  pause: Config.withDefault(Config.Duration("CONFORMANCE_PAUSE"), Duration.millis(250))
})

/** Offers a document once, because a document can be downloaded once. */
const takenOnce = (document: FinishedDocument): Effect.Effect<FinishedDocument, NotOffered> => {
  let taken = false
  return Effect.suspend(() => {
    if (taken) return Effect.fail(notOffered("finishedDocument"))
    taken = true
    return Effect.succeed(document)
  })
}

/** Pauses before each request. */
const paced = (pause: Duration.Duration): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      Duration.isZero(pause)
        ? client
        : HttpClient.mapRequestEffect(client, (request) => Effect.as(Effect.sleep(pause), request)))
  )

export const layerConfig = (
  options: Partial<LanguageServiceConfig.Options>
): Layer.Layer<
  Requirements,
  Config.ConfigError | LanguageServiceConfig.InvalidConfiguration,
  HttpClient.HttpClient
> =>
  Layer.unwrap(Effect.gen(function*() {
    const { failed, finished, pause, unfinished, ...plain } = yield* config
    const offers = {
      ...plain,
      document: finished === undefined ? undefined : Effect.succeed(finished),
      finishedDocument: finished === undefined ? undefined : takenOnce(finished),
      unfinishedDocument: unfinished === undefined ? undefined : Effect.succeed(unfinished),
      failedDocument: failed === undefined ? undefined : Effect.succeed(failed)
    }
    return Layer.provide(layer(yield* configOf(options), offers), paced(pause))
  }))
