import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { BadRequestProblem } from "effect/http-api/HttpApiError"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type { OperationName } from "../../faults/Fault.ts"
import { allNames, operationNames } from "../../faults/internal/operations.ts"
import * as Rates from "../../faults/internal/rates.ts"
import * as Scripts from "../../faults/internal/scripts.ts"
import { ControlApi, type ControlGroup, type NewDocument, path } from "../ControlApi.ts"
import * as Accounts from "./account/accounts.ts"
import * as Admin from "./account/admin.ts"
import { failure } from "./answers.ts"
import * as Documents from "./documents/documents.ts"
import * as Glossaries from "./glossaries/glossaries.ts"
import type { OperationEffects, RecordedRequest } from "./model.ts"
import * as Options from "./options.ts"
import { isForgotten } from "./quality-evaluation/qualityEvaluation.ts"
import * as Quota from "./quota.ts"
import { type Fake, makeStore, ownerOf } from "./state.ts"
import * as StyleRules from "./style-rules/styleRules.ts"
import { rootOf } from "./text.ts"
import * as Taught from "./texts/taught.ts"
import { inTimeOf } from "./time.ts"
import * as Memories from "./translation-memories/memories.ts"

type Endpoint = HttpApiGroup.Endpoints<typeof ControlGroup>

type Request<E> = [HttpApiEndpoint.Payload<E>["Type"]] extends [never]
  ? [HttpApiEndpoint.Query<E>["Type"]] extends [never] ? object | void
  : { readonly query: HttpApiEndpoint.Query<E>["Type"] }
  : { readonly payload: HttpApiEndpoint.Payload<E>["Type"] }

/** The control endpoints as functions of a local fake, or of an HTTP client. */
export type Control<Error = never> = {
  readonly [E in Endpoint as E["identifier"]]: (
    request: Request<E>
  ) => Effect.Effect<HttpApiEndpoint.Success<E>["Type"], HttpApiEndpoint.Error<E>["Type"] | Error>
}

/** Omits an `undefined` payload: the body is not JSON, or too long for the record. */
const wire = ({ payload, ...request }: RecordedRequest) => payload === undefined ? request : { ...request, payload }

const documentOf = (payload: typeof NewDocument.Type) => {
  if ("text" in payload) {
    const { text: content, ...document } = payload
    return { ...document, content }
  }
  const { base64: content, ...document } = payload
  return { ...document, content }
}

const effects = (fake: Fake): Readonly<Record<OperationName, OperationEffects>> => {
  const outside = new Set(fake.settings.resources.map(({ group }): string => group.identifier))
  // Excludes resources that only other fakes in this process have.
  const served = allNames().filter((name) => operationNames.includes(name) || outside.has(name.split(".", 1).join()))
  const entries = served.map((name): [string, OperationEffects] => {
    const { count = 0, ids = [] } = fake.store.effects.get(name) ?? {}
    return [name, { count, ids: [...ids] }]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every name
  return Object.fromEntries(entries) as Record<OperationName, OperationEffects>
}

const state = Effect.fnUntraced(function*(fake: Fake) {
  const time = yield* DateTime.now
  const now = DateTime.toEpochMillis(time)
  Memories.settle(fake, now)
  return {
    time,
    documents: yield* Documents.states(fake),
    styleRuleLists: Array.from(fake.store.styleLists.values()),
    glossaries: Array.from(
      fake.store.glossaries.values(),
      ({ dictionaries, edited, glossaryId, name, version }) => ({
        glossaryId,
        name,
        version: edited ? 3 as const : version,
        dictionaries
      })
    ),
    translationMemories: Array.from(fake.store.memories.values(), ({ id, name, segments, source, targets }) => ({
      translationMemoryId: id,
      name,
      sourceLanguage: source,
      targetLanguages: targets,
      segments: segments.map(({ targets, ...segment }) => ({ ...segment, targets: Object.fromEntries(targets) }))
    })),
    translationMemoryJobs: Array.from(fake.store.jobs.values(), (job) => ({
      jobId: job.id,
      operation: job.operation,
      state: Memories.stateOf(fake, job, now),
      translationMemoryId: job.memoryId
    })),
    evaluations: Array.from(fake.store.evaluations.values())
      .filter((evaluation) => !isForgotten(evaluation, now)).map(({ id }) => id),
    resources: Object.fromEntries(
      fake.settings.resources.flatMap(({ group, state }) =>
        state === undefined ? [] : [[group.identifier, state(fake, now)]]
      )
    ),
    developerKeys: Array.from(fake.store.keys.values(), Admin.stateOf),
    quotas: Quota.readAll(fake, now)
  }
})

const secret = (label: string, value: string) => ({ label, value })

const secrets = (fake: Fake) => {
  const { settings: { keys, resources }, store } = fake
  const made = Array.from(store.keys.values()).filter(({ access }) => !keys.includes(access))
  return [
    ...keys.map(({ key }, index) => secret(`API key ${index + 1}`, key)),
    ...made.map(({ access, id }) => secret(`API key ${id}`, access.key)),
    ...Array.from(store.documents.values(), ({ id, key }) => secret(`key of document ${id}`, key)),
    ...Array.from(store.jobs.values(), ({ id, signature }) => secret(`signature of job ${id}`, signature)),
    ...resources.flatMap(({ secrets }) => secrets?.(fake) ?? []).map(([label, value]) => secret(label, value))
  ]
}

export const ofFake = (fake: Fake): Control => {
  const inTime = inTimeOf(fake)
  /** Calls `act` with an account (default: the first key's account) and the fake's time. */
  const ofAccount = <A>(account: string | undefined, act: (owner: string, now: DateTime.Utc) => A) => {
    const detail = Options.account(fake.settings, account)
    return detail === undefined
      ? Effect.map(inTime(DateTime.now), (now) => {
        // Creates the account of an unknown key.
        if (account !== undefined && !Accounts.isOfOptions(fake, account)) Accounts.keyOf(fake, account, now)
        return act(ownerOf(fake.settings, account), now)
      })
      : Effect.fail(new BadRequestProblem({ detail }))
  }
  return {
    info: () => Effect.map(inTime(DateTime.now), (time) => ({ basePath: fake.settings.basePath, time })),
    documents: () => inTime(Documents.states(fake)),
    addDocument: ({ payload }) =>
      ofAccount(
        payload.account,
        (owner, now) => Documents.hold(fake, owner, documentOf(payload), now.epochMilliseconds)
      ),
    addStyleRuleList: ({ payload: { account, ...list } }) =>
      ofAccount(
        account,
        (owner, now) => StyleRules.add(fake, owner, { ...list, language: list.language.toLowerCase() }, now)
      ),
    addGlossary: ({ payload }) =>
      ofAccount(payload.account, (owner, now) => {
        const { entries = new Map(), glossaryId, isShared, name = "Glossary", sourceLanguage, targetLanguage } = payload
        const dictionary = { sourceLanguage: rootOf(sourceLanguage), targetLanguage: rootOf(targetLanguage), entries }
        return Glossaries.add(fake, owner, { name, version: 3, dictionaries: [dictionary] }, now, {
          glossaryId,
          isShared
        })
      }),
    addTranslationMemory: ({ payload }) =>
      ofAccount(payload.account, (_, now) => ({ translationMemoryId: Memories.add(fake, payload, now) })),
    quota: ({ query: { account } }) =>
      ofAccount(account, (owner, now) => Quota.read(fake, owner, now.epochMilliseconds)),
    setQuota: ({ payload: { account, ...change } }) =>
      ofAccount(account, (owner, now) => {
        Quota.set(fake, owner, change, now.epochMilliseconds)
        return Quota.read(fake, owner, now.epochMilliseconds)
      }),
    addScripts: ({ payload }) => Effect.sync(() => void fake.store.scripts.push(...payload.map(Scripts.begin))),
    taught: () => Effect.sync(() => Taught.tables(fake.store.taught)),
    teach: ({ payload }) =>
      Effect.sync(() => {
        const { translate } = fake.store.taught
        fake.store.taught = Taught.compile({ ...payload, translate })
      }),
    unplayed: () => Effect.sync(() => Scripts.left(fake.store.scripts)),
    setWeather: ({ payload }) =>
      Effect.sync(() => {
        fake.store.weather = Rates.compile(payload)
      }),
    requests: ({ query: { last, operation, status } }) =>
      Effect.sync(() => {
        const found = fake.store.requests.filter((request) =>
          (operation === undefined || request.operation === operation) &&
          (status === undefined || request.status === status)
        )
        return (last === undefined ? found : found.slice(Math.max(0, found.length - last))).map(wire)
      }),
    effects: () => Effect.sync(() => effects(fake)),
    state: () => inTime(state(fake)),
    secrets: () => Effect.sync(() => secrets(fake)),
    advance: ({ payload: { duration } }) =>
      Effect.suspend(() => {
        fake.store.advanced += Math.round(Duration.toMillis(duration))
        return Effect.map(inTime(DateTime.now), (time) => ({ time }))
      }),
    reset: () =>
      Effect.suspend(() => {
        fake.store = makeStore(fake.settings)
        return inTime(Effect.void)
      })
  }
}

const unrouted = failure(404, `No such control endpoint. See ${path}/openapi.json for its endpoints.`)

export const serve = (fake: Fake) =>
  HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(ControlApi, { openapiPath: `${path}/openapi.json` }).pipe(
      Layer.provide(HttpApiBuilder.group(ControlApi, "Control", (handlers) => handlers.handleAll(ofFake(fake)))),
      Layer.provide(HttpApiMiddleware.layerProblemDetails({ includeDetails: true })),
      Layer.provide(HttpServer.layerServices)
    )
  ).pipe(
    Effect.map(Effect.catchTag("HttpServerError", (error) =>
      error.reason._tag === "RouteNotFound" ? Effect.succeed(unrouted) : Effect.fail(error)))
  )
