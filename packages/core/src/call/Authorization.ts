/**
 * The contract's authorization middleware: the header `Authorization: <scheme> <key>` on each request.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"

/**
 * The whole header value is the credential, because the scheme differs between hosts. The client adds the header, and the fake checks the header.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@effect-lingua/core/call/Authorization",
  { security: { key: HttpApiSecurity.apiKey({ in: "header", key: "Authorization" }) } }
) {}
