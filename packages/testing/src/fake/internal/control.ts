/** The control endpoint over the handle. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { BadRequestProblem } from "effect/http-api/HttpApiError"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ControlApi, type NewDocument, path } from "../ControlApi.ts"
import type { FakeLanguageService } from "../FakeLanguageService.ts"
import { failure } from "./answers.ts"
import type { RecordedRequest } from "./model.ts"
import { InvalidOptions } from "./options.ts"

/** A body that is no JSON has no payload, which is not the same as `null`. */
const wire = ({ payload, ...request }: RecordedRequest) => payload === undefined ? request : { ...request, payload }

const shown = (secret: Redacted.Redacted) => ({ label: secret.label ?? "", value: Redacted.value(secret) })

/** The content came as a text or as bytes. */
const documentOf = (payload: typeof NewDocument.Type) => {
  if ("text" in payload) {
    const { text: content, ...document } = payload
    return { ...document, content }
  }
  const { base64: content, ...document } = payload
  return { ...document, content }
}

/** A misuse of the handle, which is a defect in its own process, is a refusal on the wire. */
const orRefused = <A>(effect: Effect.Effect<A>): Effect.Effect<A, BadRequestProblem> =>
  Effect.catchDefect(effect, (defect) =>
    defect instanceof InvalidOptions
      ? Effect.fail(new BadRequestProblem({ detail: defect.reason }))
      : Effect.die(defect))

/** The handlers. Another method of the handle is one endpoint in `ControlApi` and one line here. */
const handlers = (fake: FakeLanguageService["Service"], basePath: string) =>
  HttpApiBuilder.group(ControlApi, "Control", (handlers) =>
    handlers.handleAll({
      info: () => Effect.map(fake.advance(0), (time) => ({ basePath, time })),
      documents: () => fake.documents(),
      addDocument: ({ payload }) => orRefused(fake.addDocument(documentOf(payload))),
      addStyleRuleList: ({ payload }) => orRefused(fake.addStyleRuleList(payload)),
      addGlossary: ({ payload }) => orRefused(Effect.map(fake.addGlossary(payload), (glossaryId) => ({ glossaryId }))),
      addTranslationMemory: ({ payload }) =>
        orRefused(Effect.map(fake.addTranslationMemory(payload), (translationMemoryId) => ({ translationMemoryId }))),
      quota: () => fake.quota(),
      setQuota: ({ payload }) => orRefused(Effect.andThen(fake.setQuota(payload), fake.quota())),
      addScripts: ({ payload }) => fake.script(payload),
      unplayed: () => fake.unplayed(),
      setWeather: ({ payload }) => fake.weather(payload),
      requests: ({ query: { last, operation, status } }) =>
        Effect.map(fake.requests(), (requests) => {
          const found = requests.filter((request) =>
            (operation === undefined || request.operation === operation) &&
            (status === undefined || request.status === status)
          )
          return (last === undefined ? found : found.slice(Math.max(0, found.length - last))).map(wire)
        }),
      effects: () => fake.effects(),
      state: () => fake.state(),
      secrets: () => Effect.map(fake.secrets(), (secrets) => secrets.map(shown)),
      advance: ({ payload }) => Effect.map(fake.advance(payload.duration), (time) => ({ time })),
      reset: () => fake.reset()
    }))

const unrouted = failure(404, `There is no such control. See ${path}/openapi.json for what there is.`)

/** Routes of its own, so that nothing of the contract's server stands around them. */
export const make = (fake: FakeLanguageService["Service"], basePath: string) =>
  HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(ControlApi, { openapiPath: `${path}/openapi.json` }).pipe(
      Layer.provide(handlers(fake, basePath)),
      Layer.provide(HttpApiMiddleware.layerProblemDetails({ includeDetails: true })),
      Layer.provide(HttpServer.layerServices)
    )
  ).pipe(
    Effect.map(Effect.catchTag("HttpServerError", (error) =>
      error.reason._tag === "RouteNotFound" ? Effect.succeed(unrouted) : Effect.fail(error)))
  )
