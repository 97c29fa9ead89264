/**
 * The contract's authorization middleware: the header `Authorization: <scheme> <key>` on each request.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"

/**
 * The header `Authorization`, which the client adds and the fake server checks. The whole value is the credential, because the scheme before the key
 * differs between hosts.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@effect-lingua/core/call/Authorization",
  { security: { key: HttpApiSecurity.apiKey({ in: "header", key: "Authorization" }) } }
) {}
