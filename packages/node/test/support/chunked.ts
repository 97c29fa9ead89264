import { Stream } from "effect"
import { HttpClientResponse } from "effect/http"

/** The same response in chunks, without a length. */
export const chunked = (response: HttpClientResponse.HttpClientResponse) => {
  const { "content-length": _, ...headers } = response.headers
  return HttpClientResponse.fromWeb(
    response.request,
    new Response(response.status === 204 ? null : Stream.toReadableStream(response.stream), {
      status: response.status,
      headers: { ...headers, "transfer-encoding": "chunked" }
    })
  )
}
