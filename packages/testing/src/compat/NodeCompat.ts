/**
 * Compatibility mode: serves the fake to other clients' test suites, which control a mock server with session headers.
 *
 * **Example** (A suite runs against two addresses)
 *
 * ```ts import.meta.vitest
 * import { NodeCompat } from "@effect-lingua/testing"
 * import { Effect } from "effect"
 * import { FetchHttpClient, HttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const { url } = yield* NodeCompat.Compat
 *   const headers = {
 *     authorization: "DeepL-Auth-Key any-key",
 *     "mock-server-session": "a test",
 *     "mock-server-session-5xx-count": "1"
 *   }
 *   const responses = [
 *     yield* HttpClient.get(`${url}/v2/usage`, { headers }),
 *     yield* HttpClient.get(`${url}/v2/usage`, { headers })
 *   ]
 *   return responses.map(({ status }) => status)
 * }).pipe(Effect.provide([NodeCompat.layer({ port: 0, proxyPort: 0 }), FetchHttpClient.layer]))
 *
 * const statuses = await Effect.runPromise(program) // => [503, 200]
 * ```
 *
 * @since 0.3.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { FakeLanguageService } from "../fake/FakeLanguageService.ts"
import * as NodeFakeLanguageService from "../fake/NodeFakeLanguageService.ts"
import * as Defaults from "./internal/defaults.ts"
import * as Front from "./internal/front.ts"

/**
 * The settings of the compatibility mode. Keys, quotas and dialects are fixed.
 *
 * @category options
 * @since 0.3.0
 */
export interface Options
  extends Omit<FakeLanguageService.ServerOptions, "anyKey" | "basePath" | "dialect" | "keys" | "quota" | "readyAfter">
{
  /** Default: 3000; 0 for a free port. */
  readonly port?: number | undefined
  /** The port of the HTTP proxy. Default: 3001; 0 for a free port. */
  readonly proxyPort?: number | undefined
  /** The address to listen at. Default: `127.0.0.1`, reachable only from this machine. */
  readonly host?: string | undefined
}

/**
 * @category services
 * @since 0.3.0
 */
export class Compat extends Context.Service<Compat, {
  readonly url: string
  readonly proxyUrl: string
}>()("@effect-lingua/testing/compat/NodeCompat/Compat") {}

/** Responses that other clients' test suites expect, and that differ from the specification. */
const dialect = {
  malformedId: 400,
  rootTargets: true,
  styleRuleLanguages: "any",
  replacementNeedsSource: false,
  outputFormats: "texts",
  glossaryDetection: "detected",
  glossaryIdsMissingPair: "skipped",
  secondsRemaining: "untilDone",
  failedDocument: "notReady"
} as const

const socket = (host: string, port: number) =>
  Effect.map(
    Layer.build(NodeFakeLanguageService.layerHttpServer({ host, port })),
    (context) => Context.get(context, HttpServer.HttpServer)
  )

const make = Effect.fnUntraced(function*(
  { authSchemes = [Defaults.authScheme], host = "127.0.0.1", port = 3000, proxyPort = 3001, ...options }: Options
) {
  const state = Front.makeState(authSchemes)
  const handle = yield* Deferred.make<FakeLanguageService["Service"]>()
  const main = yield* socket(host, port)
  const proxy = yield* socket(host, proxyPort)
  const serve = Effect.fnUntraced(function*<E>(app: Front.App<E, Scope.Scope>) {
    const front = Front.make(state, Deferred.await(handle), app)
    yield* main.serve(front)
    yield* proxy.serve(Front.proxied(front))
  })
  const server = HttpServer.make({ address: main.address, serve })
  const layer = FakeLanguageService.layerServer({
    ...options,
    authSchemes,
    keys: [],
    anyKey: true,
    readyAfter: 0,
    dialect
  })
  const context = yield* Layer.build(Layer.provide(layer, Layer.succeed(HttpServer.HttpServer, server)))
  const fake = Context.get(context, FakeLanguageService)
  yield* Defaults.add(fake)
  yield* Deferred.succeed(handle, fake)
  return Context.make(FakeLanguageService, {
    ...fake,
    reset: Effect.andThen(fake.reset, Front.restart(state, fake))
  }).pipe(
    Context.add(Compat, { url: fake.url, proxyUrl: HttpServer.formatAddress(proxy.address) })
  )
})

/**
 * The fake in compatibility mode, on two local ports. Each API key gets an account with a default style rule list and
 * translation memory. Accounts unused for 10 minutes are removed.
 *
 * @category layers
 * @since 0.3.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Compat | FakeLanguageService,
  NodeFakeLanguageService.PortInUse | ServeError
> => Layer.effectContext(make(options))
