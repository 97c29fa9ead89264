/** A response whose body stream replaces the platform's. */
import type * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { Replaced } from "./replaced.ts"

type Original = HttpClientResponse.HttpClientResponse

export class Streamed extends Replaced {
  readonly stream: Original["stream"]
  constructor(original: Original, stream: Original["stream"]) {
    super(original, original.headers)
    this.stream = stream
  }
  get arrayBuffer() {
    return this.web.arrayBuffer
  }
  get text(): Effect.Effect<string, Stream.Error<Original["stream"]>> {
    return Stream.mkString(Stream.decodeText(this.stream))
  }
  protected get content() {
    return Stream.toReadableStream(this.stream)
  }
}
