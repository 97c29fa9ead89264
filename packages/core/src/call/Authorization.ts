/**
 * The contract's authorization middleware: `Authorization: <scheme word> <key>` on each request.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"

/**
 * The header is the whole credential, because the scheme word differs between hosts. The client adds it, and the fake checks it.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@effect-lingua/core/call/Authorization",
  { security: { key: HttpApiSecurity.apiKey({ in: "header", key: "Authorization" }) } }
) {}
