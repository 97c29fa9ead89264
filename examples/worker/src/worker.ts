import { LanguageService, Problem, Translation } from "@effect-lingua/core"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"

/** The Worker's variables, and a `fetch`, which tests replace. */
export interface Environment {
  readonly LANGUAGE_SERVICE_KEY: string
  readonly LANGUAGE_SERVICE_BASE_URL: string
  readonly fetch?: typeof globalThis.fetch
}

const Body = Schema.Struct({
  text: Schema.String.check(Schema.isMaxLength(5000)),
  targetLanguage: Schema.String
})

const client = (environment: Environment) =>
  LanguageService.layer({
    key: Redacted.make(environment.LANGUAGE_SERVICE_KEY),
    baseUrl: environment.LANGUAGE_SERVICE_BASE_URL,
    resilience: { deadline: "10 seconds" }
  }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, environment.fetch ?? globalThis.fetch))
  )

const translate = (request: Request) =>
  Effect.gen(function*() {
    const body = yield* Effect.tryPromise(() => request.json())
    const { targetLanguage, text } = yield* Schema.decodeUnknownEffect(Body)(body)
    const translation = yield* Translation.use(({ translate }) => translate(text, { targetLanguage }))
    return Response.json({ text: translation.text })
  }).pipe(
    Effect.catch((error) => {
      if (!Problem.isSource(error)) return Effect.succeed(Response.json({ title: "Invalid request" }, { status: 400 }))
      const { body, headers, status } = Problem.toProblem(error)
      return Effect.as(Effect.logWarning(error), Response.json(body, { status, headers: { ...headers } }))
    })
  )

export default {
  fetch: (request: Request, environment: Environment): Promise<Response> =>
    request.method === "POST" && new URL(request.url).pathname === "/translate"
      ? translate(request).pipe(
        Effect.provide(client(environment)),
        (effect) => Effect.runPromise(effect, { signal: request.signal })
      )
      : Promise.resolve(new Response(null, { status: 404 }))
}
