/** The client half of the authorization middleware: the key, the user agent and the configured headers. */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Authorization } from "../Authorization.ts"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"

/** The client half, with the key of the configuration. */
export const layer: Layer.Layer<HttpApiMiddleware.ForClient<Authorization>, never, LanguageServiceConfig> =
  HttpApiMiddleware.layerClient(
    Authorization,
    Effect.map(
      LanguageServiceConfig,
      ({ authScheme, headers, key, userAgent }) => {
        const added = { ...headers, "user-agent": userAgent, authorization: `${authScheme} ${Redacted.value(key)}` }
        return ({ next, request }) => next(HttpClientRequest.setHeaders(request, added))
      }
    )
  )
