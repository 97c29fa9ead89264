/** The client's part of the authorization middleware: the key, the user agent and the configured headers. */
import * as Headers from "effect/http/Headers"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type { LanguageServiceConfig } from "../LanguageServiceConfig.ts"

/** Adds the headers of the configuration and of the call to a request; those of the call take precedence. */
export const make = ({ authScheme, headers, key, userAgent }: LanguageServiceConfig["Service"]) => {
  const configured = Headers.fromInput({
    ...Record.map(headers, Redacted.value),
    "user-agent": userAgent,
    authorization: `${authScheme} ${Redacted.value(key)}`
  })
  return (request: HttpClientRequest.HttpClientRequest, ofCall: Readonly<Record<string, string>> | undefined) => {
    const all = Headers.merge(request.headers, configured)
    return HttpClientRequest.makeWith(
      request.method,
      request.url,
      request.urlParams,
      request.hash,
      ofCall === undefined ? all : Headers.setAll(all, ofCall),
      request.body
    )
  }
}
