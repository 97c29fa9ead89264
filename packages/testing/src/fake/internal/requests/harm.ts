import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type {
  Alteration,
  Altered,
  Answer,
  Fault,
  Malformed,
  OperationName,
  Stalled,
  Truncated,
  WrongLength
} from "../../../faults/Fault.ts"
import { resultsOf } from "../../../faults/internal/operations.ts"
import { failure, statuses } from "../answers.ts"
import * as Connection from "../connection.ts"
import type { Exchange } from "../exchange.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A status's default message. On glossary endpoints, 456 means too many requests. */
const defaultMessage = (status: number, operation: OperationName): string =>
  status === 456 && operation.startsWith("Glossaries")
    ? "Too many requests were made to the glossary endpoints"
    : statuses[status]?.message ?? ""

const answer = (operation: OperationName, { body, description, headers, retryAfter, status }: Answer): Response => {
  const response = body === undefined
    ? failure(status, description ?? defaultMessage(status, operation))
    : HttpServerResponse.text(body, { status, contentType: headers?.["content-type"] ?? "text/plain" })
  const wait = retryAfter === undefined
    ? undefined
    : Headers.formatRetryAfter(
      DateTime.isDateTime(retryAfter) ? Headers.retryAfterDateTime(retryAfter) : Headers.retryAfterDuration(retryAfter)
    )
  return HttpServerResponse.setHeaders(response, {
    ...(wait === undefined ? undefined : { "retry-after": wait }),
    ...headers
  })
}

/** Reading cannot fail, because the fake made the body. */
const read = HttpServerResponse.toClientResponse

/** Number of bytes to send, always fewer than `length`. */
const partOf = ({ bytes, share = 0.5 }: Truncated | Stalled, length: number): number =>
  Math.min(bytes ?? Math.floor(length * share), length - 1)

const breakOff = (
  response: Response,
  fault: Truncated | Stalled,
  ending: Stream.Stream<never, Connection.Lost>
): Effect.Effect<Response> =>
  Effect.map(Effect.orDie(read(response).arrayBuffer), (body) => {
    if (body.byteLength === 0) return response
    const part = new Uint8Array(body, 0, partOf(fault, body.byteLength))
    const stream = Stream.concat(Stream.make(part), ending)
    return HttpServerResponse.setBody(
      response,
      HttpBody.stream(stream, response.headers["content-type"], body.byteLength)
    )
  })

const withText = (response: Response, change: (text: string) => string): Effect.Effect<Response> =>
  Effect.map(
    Effect.orDie(read(response).text),
    (text) => HttpServerResponse.setBody(response, HttpBody.text(change(text), response.headers["content-type"]))
  )

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const resize = (items: ReadonlyArray<unknown>, by: number): ReadonlyArray<unknown> =>
  by < 0 ? items.slice(0, by) : [...items, ...Array.from({ length: items.length === 0 ? 0 : by }, () => items.at(-1))]

const miscounted = (text: string, key: string, by: number): string => {
  const answer = Option.getOrUndefined(parse(text))
  const results = answer?.[key]
  return Array.isArray(results) ? JSON.stringify({ ...answer, [key]: resize(results, by) }) : text
}

const tag = /<(\/?)([\w:-]+)[^<>]*>/

const changeBy: Readonly<Record<Alteration, (text: string) => string>> = {
  empty: () => "",
  folded: (text) => text.trim().replaceAll(/\s+/g, " "),
  untagged: (text) => text.replace(tag, ""),
  retagged: (text) => {
    const [, , name = ""] = tag.exec(text) ?? []
    return name === "" ? text : text.replaceAll(new RegExp(`(</?)${name}(?![\\w:-])`, "g"), `$1${name}s`)
  },
  tagged: (text) => `<i>${text}</i>`,
  filled: (text) => text.replace(/(<[\w:-][^<>]*[^<>/]>|<[\w:-]>)/, "$1."),
  unescaped: (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
}

const isText = Schema.is(Schema.Struct({ text: Schema.String }))

const altered = (text: string, key: string, alteration: Alteration): string => {
  const answer = Option.getOrUndefined(parse(text))
  const results = answer?.[key]
  if (!Array.isArray(results)) return text
  const texts = results.map((result) => isText(result) ? Struct.evolve(result, { text: changeBy[alteration] }) : result)
  return JSON.stringify({ ...answer, [key]: texts })
}

type OfBody = Altered | Truncated | Stalled | Malformed | WrongLength

const isOfBody = (fault: Fault): fault is OfBody =>
  "truncated" in fault || "stalled" in fault || "malformed" in fault || "wrongLength" in fault || "altered" in fault

const harm = (
  response: Response,
  operation: OperationName,
  fault: OfBody
): Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest> => {
  if ("truncated" in fault) {
    return Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => breakOff(response, fault, Connection.lost(request))
    )
  }
  if ("stalled" in fault) return breakOff(response, fault, Stream.never)
  if ("malformed" in fault) return withText(response, (text) => text.slice(0, Math.ceil(text.length / 2)))
  const key = resultsOf[operation] ?? ""
  return withText(
    response,
    (text) => "altered" in fault ? altered(text, key, fault.altered) : miscounted(text, key, fault.wrongLength)
  )
}

export const apply = <E, R>(
  exchange: Exchange,
  operation: OperationName,
  fault: Fault | undefined,
  work: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> => {
  if (fault === undefined) return work
  exchange.note.fault = fault
  const late = fault.delay === undefined ? Effect.void : Effect.sleep(fault.delay)
  if (isOfBody(fault)) {
    return work.pipe(
      Effect.tap(() => late),
      Effect.flatMap((response) => harm(response, operation, fault))
    )
  }
  if ("jobFails" in fault) {
    exchange.jobFails = fault.jobFails
    return Effect.tap(work, () => late)
  }
  const after = fault.afterEffect === true
  if (!("status" in fault || "reset" in fault)) return after ? Effect.tap(work, () => late) : Effect.andThen(late, work)
  return Effect.andThen(
    after ? Effect.andThen(Effect.exit(work), late) : late,
    Effect.sync(() => {
      if ("status" in fault) return answer(operation, fault)
      exchange.broken = true
      return HttpServerResponse.empty({ status: 500 })
    })
  )
}
