/**
 * The handle of a fake in another process, such as `npx @effect-lingua/testing` or a container, over the control
 * endpoint.
 *
 * **Example** (A test that controls a fake on a socket from outside)
 *
 * ```ts import.meta.vitest
 * import { FakeLanguageService, NodeFakeLanguageService, RemoteFakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService
 *   yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "2 hours" })
 *   yield* fake.advance("2 hours")
 *   const [document] = yield* fake.documents
 *   return document?.status
 * })
 *
 * // Usually the fake is in another process; here it is in this process.
 * const remote = Layer.unwrap(Effect.map(FakeLanguageService, ({ url }) => RemoteFakeLanguageService.layer({ url })))
 * const status = await program.pipe(
 *   Effect.provide(remote.pipe(Layer.provide(NodeFakeLanguageService.layer()), Layer.provide(FetchHttpClient.layer))),
 *   Effect.runPromise
 * )
 * status // => "done"
 * ```
 *
 * @since 0.1.0
 */
import { Failure } from "@effect-lingua/core/extension/Service"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { ControlApi, path } from "./ControlApi.ts"
import { FakeLanguageService } from "./FakeLanguageService.ts"
import * as Handle from "./internal/handle.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The fake's URL, such as `http://127.0.0.1:8080`. A path is ignored. */
  readonly url: string
}

/**
 * A control endpoint cannot be reached, or returned an unexpected response.
 *
 * @category errors
 * @since 0.1.0
 */
export class ControlUnavailable extends Failure.messageFirst(Data.TaggedError("ControlUnavailable"))<{
  readonly url: string
  readonly cause: unknown
}> {
  override get message(): string {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The control endpoint ${this.url}${path} cannot be used: ${reason}. Does a fake with a control endpoint run there?`
  }
}

/** Polls in real time, because another process does not follow the test's clock. */
const pause = Effect.provideService(Effect.sleep("20 millis"), Clock.Clock, Clock.Clock.defaultValue())

const make = Effect.fnUntraced(function*({ url: given }: Options) {
  if (!URL.canParse(given)) return yield* new ControlUnavailable({ url: given, cause: "this is not a URL" })
  const url = new URL(given).origin
  const unavailable = (cause: unknown) => new ControlUnavailable({ url, cause })
  const control = yield* HttpApiClient.make(ControlApi, { baseUrl: url })
  const { basePath } = yield* Effect.mapError(control.info(), unavailable)
  return Handle.make({ url: `${url}${basePath}`, control, changes: Effect.succeed(pause), defectOf: unavailable })
})

/**
 * Controls a fake at a URL. Fails with `ControlUnavailable` if no control endpoint responds. If the fake becomes
 * unreachable later, methods die with this error.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options
): Layer.Layer<FakeLanguageService, ControlUnavailable, HttpClient.HttpClient> =>
  Layer.effect(FakeLanguageService, make(options))
