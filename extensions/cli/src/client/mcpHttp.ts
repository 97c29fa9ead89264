/** A server over HTTP for programs of this machine that have a token, loaded only by `mcp --http`. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { oneLine, tell } from "../screen/screen.ts"
import { InvalidSetting } from "../settings/errors.ts"

/** The path of the server. */
export const path = "/mcp"

const variable = "LANGUAGE_SERVICE_MCP_TOKEN"

/** A token of the environment, or else a new one. */
const tokenOf = Effect.gen(function*() {
  const given = yield* Config.option(Config.Redacted(variable))
  return Option.isSome(given)
    ? { isNew: false, token: given.value }
    : { isNew: true, token: Redacted.make(randomBytes(24).toString("base64url")) }
})

const hash = (text: string) => createHash("sha256").update(text).digest()

const unauthorized = HttpServerResponse.text("Send the token as Authorization: Bearer TOKEN.\n", {
  status: 401,
  headers: { "www-authenticate": "Bearer" }
})

/** Answers only requests with the token, and reads no more than 4 MB of each. */
const authorized = (token: Redacted.Redacted) => {
  const expected = hash(`Bearer ${Redacted.value(token)}`)
  return HttpRouter.middleware(
    (handled) =>
      HttpServerRequest.HttpServerRequest.use(({ headers }) =>
        timingSafeEqual(hash((headers["authorization"] ?? "").replace(/^bearer +/i, "Bearer ")), expected)
          ? Effect.provideService(handled, HttpIncomingMessage.MaxBodySize, ByteSize.megabytes(4))
          : Effect.succeed(unauthorized)
      ),
    { global: true }
  )
}

/** Serves an application on the loopback address, and says where and with which token. */
export const serve = <A, E, R>(application: Layer.Layer<A, E, R>, port: number) =>
  Effect.gen(function*() {
    const { isNew, token } = yield* tokenOf
    const listening = Layer.effectDiscard(HttpServer.addressFormattedWith((address) =>
      tell(
        "listening",
        `listening at ${address}${path}; the token is ${isNew ? Redacted.value(token) : `that of ${variable}`}`,
        { url: `${address}${path}`, ...isNew ? { token: Redacted.value(token) } : undefined }
      )
    ))
    const server = NodeHttpServer.layerServer(createServer, { port, host: "127.0.0.1" }).pipe(
      Layer.catchTag("ServeError", ({ cause }) =>
        Layer.effect(
          HttpServer.HttpServer,
          Effect.fail(
            new InvalidSetting({
              message: hasProperty(cause, "code") && cause.code === "EADDRINUSE"
                ? `port ${port} is in use; choose another with --port, or 0 for any that is free`
                : `port ${port} cannot be used: ${oneLine(String(cause))}`
            })
          )
        ))
    )
    return yield* Layer.launch(
      listening.pipe(
        Layer.provideMerge(
          HttpRouter.serve(Layer.merge(application, authorized(token)), { disableListenLog: true, disableLogger: true })
        ),
        Layer.provide(server)
      )
    )
  })
