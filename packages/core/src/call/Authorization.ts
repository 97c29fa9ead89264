/**
 * The authorization middleware: `Authorization: <scheme word> <key>` on each request. The client adds the header, the fake checks it.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"

/**
 * The middleware of the contract that carries the key. The whole header is the credential, because the scheme word
 * differs from host to host. The client half of `Resilience` adds it: a middleware of its own would copy the context of every call.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@effect-lingua/core/call/Authorization",
  {
    security: { key: HttpApiSecurity.apiKey({ in: "header", key: "Authorization" }) }
  }
) {}
