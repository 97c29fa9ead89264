/**
 * Puts the key on each request: `Authorization: <scheme word> <key>`. The tag belongs to the
 * contract; the client adds the header, the server half in the fake checks it.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"

/**
 * The middleware of the contract that carries the key. The whole header is the credential, because the scheme word
 * differs from host to host. Its work for a client is done by the client half of `Resilience`: a middleware of its own
 * would copy the context of every call.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@effect-lingua/core/client/Authorization",
  {
    security: { key: HttpApiSecurity.apiKey({ in: "header", key: "Authorization" }) }
  }
) {}
