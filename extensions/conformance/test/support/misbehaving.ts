/** The conformance suite with a host between it and the fake that does something otherwise. */
import * as Conformance from "@effect-lingua/conformance/Conformance"
import type * as Dialect from "@effect-lingua/testing/fake/Dialect"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { Effect, Layer } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** A response of the fake. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** What is other in a response. */
export type Change = Partial<Answer>

/** What a host does otherwise than the fake. */
export interface Misbehaviour {
  /** Changes a request on its way to the fake. */
  readonly request?: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
  /** Changes an answer on its way back. */
  readonly answer?: (answer: Answer, request: HttpClientRequest.HttpClientRequest) => Change | undefined
  readonly dialect?: Dialect.Dialect | undefined
  readonly resources?: FakeLanguageService.Options["resources"]
}

/** The suite over another way to the fake. */
export const over = (
  http: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient>,
  options: Pick<Misbehaviour, "dialect" | "resources"> = {}
) =>
  Conformance.layerHandle({ advance: Effect.sleep }).pipe(
    Layer.provide(http),
    Layer.provideMerge(FakeLanguageService.layer({ keys: Conformance.keys, ...options }))
  )

/** Puts a misbehaviour between the suite and the fake. */
export const misbehaving = ({ answer, dialect, request = (self) => self, resources }: Misbehaviour) => {
  const changed = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      (client) =>
        HttpClient.transform(
          HttpClient.mapRequest(client, request),
          (sent, original) =>
            answer === undefined ? sent : Effect.gen(function*() {
              const response = yield* sent
              const { headers, status } = response
              const text = yield* response.text
              const changes = answer({ status, text, headers }, original) ?? {}
              const body = changes.text ?? text
              return HttpClientResponse.fromWeb(
                original,
                new Response(body === "" ? null : body, {
                  status: changes.status ?? status,
                  headers: { ...headers, "content-length": `${Buffer.byteLength(body)}`, ...changes.headers }
                })
              )
            })
        )
    )
  )
  return over(changed, { dialect, resources })
}
