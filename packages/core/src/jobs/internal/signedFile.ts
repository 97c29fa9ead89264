/** Transfers to and from signed URLs, without the API key and configured headers. Spans and errors contain only the host. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { CallRecord, ledger, OpenStreams, Sending } from "../../call/internal/callRecord.ts"
import * as Streams from "../../call/internal/openStreams.ts"
import { complete } from "../../call/internal/operation.ts"
import { Sender } from "../../call/Sender.ts"
import { isLoopback, reachOf } from "../../config/internal/loopback.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { AnyJobId } from "../../contract/Ids.ts"
import { hasWholeBody, isSuccess } from "../../contract/internal/endpoint.ts"
import { defined } from "../../contract/internal/values.ts"
import { TransferFailed } from "../../errors/CallError.ts"
import { outcomeOf, outcomeOfCall } from "../../errors/internal/failure.ts"
import { Progress, Reporter, type WorkId } from "../Progress.ts"
import * as Counted from "./counted.ts"
import * as JobFile from "./jobFile.ts"

/** The URL of a file, with a credential if the URL is not signed. */
export interface Address {
  readonly url: Redacted.Redacted
  readonly authorization?: Redacted.Redacted
}

interface Transfer {
  readonly operation: string
  readonly jobId: WorkId
  readonly policy: ResiliencePolicy
}

interface Download<E, R> extends Transfer {
  /** Returns an address for each attempt (the first has `number` 1), because an earlier address may have expired. */
  readonly address: (number: number) => Effect.Effect<Address, E, R>
}

/** The reason to refuse a URL. With an `http:` base URL, `http:` is allowed for loopback hosts and the base URL's host. */
export const problemOf = (
  url: URL,
  base: URL,
  [secure, insecure]: readonly [secure: string, insecure: string] = ["https:", "http:"]
): string | undefined => {
  if (url.username !== "" || url.password !== "") return "the address has a user"
  // A remote service must not refer to this machine or its network.
  const reach = reachOf(url)
  if (reach === "machine" && reachOf(base) !== "machine") return "the address leads to this machine"
  if (reach === "network" && reachOf(base) === "world") return "the address leads into a private or reserved network"
  if (url.protocol === secure) return undefined
  if (url.protocol !== insecure) return `the address has the scheme ${url.protocol}`
  return base.protocol === "http:" && (isLoopback(url) || url.hostname === base.hostname)
    ? undefined
    : `the address has the scheme ${insecure} and must have ${secure}`
}

/** True if the same request may succeed after the storage responded with `status`. */
const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500

type Fields = Pick<TransferFailed, "outcome" | "isTransient"> & Partial<TransferFailed>

export const make = Effect.gen(function*() {
  const { transfer } = yield* Sender
  const streams = yield* Streams.make
  const { baseUrl } = yield* LanguageServiceConfig

  /** Returns an effect that makes the transfer, and the constructor of the transfer's error. */
  const prepare = <E, R>({ address, build, direction, jobId, operation, policy, record }: Download<E, R> & {
    readonly direction: "upload" | "download"
    readonly build: (url: URL) => HttpClientRequest.HttpClientRequest
    readonly record: CallRecord
  }) => {
    let host = ""
    const errorOf = (fields: Fields) =>
      // oxlint-disable-next-line typescript/no-misused-spread -- error classes take their fields
      new TransferFailed({ operation, direction, jobId: AnyJobId.make(jobId), host, ...fields })
    const failed = (fields: Fields) => {
      const attempts = ledger(record)
      // oxlint-disable-next-line typescript/no-misused-spread -- error classes take their fields
      return errorOf({ ...fields, attempts, outcome: outcomeOfCall(attempts, fields.outcome) })
    }
    const response = transfer<HttpClientResponse.HttpClientResponse, E | TransferFailed, R>({
      operation,
      policy,
      record,
      template: `{${direction}_url}`,
      addressOf: Effect.fnUntraced(function*(number) {
        const { authorization, url: signed } = yield* address(number)
        const text = Redacted.value(signed)
        const url = URL.canParse(text) ? new URL(text) : undefined
        host = url?.host ?? ""
        const problem = url === undefined ? "the address is not a URL" : problemOf(url, baseUrl)
        if (url === undefined || problem !== undefined) {
          const description = `Nothing was sent: ${problem ?? ""}`
          return yield* failed({ description, outcome: "refused", isTransient: false })
        }
        const { href, pathname, search, searchParams } = url
        const secrets = [href, `${pathname}${search}`, ...searchParams.values()]
        const request = build(url)
        if (authorization === undefined) return { url, secrets, request }
        const credential = Redacted.value(authorization)
        return {
          url,
          secrets: [...secrets, credential],
          request: HttpClientRequest.setHeader(request, "authorization", credential)
        }
      }),
      decode: (response) => {
        const { status } = response
        return hasWholeBody(status) || (direction === "upload" && isSuccess(status))
          ? Effect.succeed(response)
          // The error omits the body, which may contain the signature.
          : errorOf({
            description: `The storage responded with status ${status}`,
            status,
            outcome: outcomeOf(status),
            // A download may succeed after any status, because each attempt requests a new address.
            isTransient: direction === "download" || isTransient(status)
          })
      },
      failed: (failure) =>
        failed(
          failure instanceof TransferFailed
            ? failure
            // The sanitizer removes the URL, which the platform's message may contain.
            : {
              description: record.sanitizer.fit(`${failure._tag} ${failure.description}`),
              outcome: failure.outcome === "refused" ? "refused" : "unknown",
              isTransient: failure.isTransient
            }
        )
    })
    return { response, failed }
  }

  const send = Effect.fnUntraced(function*(
    { address, ...job }: Transfer & { readonly address: Address },
    { content, size }: JobFile.File,
    contentType: string
  ) {
    const { jobId: id, operation } = job
    const reporter = yield* Reporter
    const record = new CallRecord(operation)
    const sending = record.sending = new Sending()
    const onBytes = (bytes: number) => reporter?.(Progress.Sent({ id, bytes, total: size }))
    const body = content instanceof Uint8Array
      ? HttpBody.uint8Array(content, contentType)
      : HttpBody.stream(JobFile.watched(content, size, sending, onBytes), contentType, size)
    const { response } = prepare({
      ...job,
      record,
      direction: "upload",
      address: () => Effect.succeed(address),
      build: (url) => HttpClientRequest.setBody(HttpClientRequest.put(url), body)
    })
    yield* Effect.mapError(
      response,
      (error) =>
        sending.sourceFailure !== undefined && record.attempts.every(({ failure }) => failure === "SourceFailed")
          ? complete(sending.sourceFailure, operation, record)
          : error
    )
    if (content instanceof Uint8Array) onBytes(size)
  })

  const received = Effect.fnUntraced(function*<E, R>(job: Download<E, R>) {
    const { failed, response: requested } = prepare({
      ...job,
      record: new CallRecord(job.operation),
      direction: "download",
      build: (url) => HttpClientRequest.get(url)
    })
    const { headers, stream: body } = yield* Effect.provideService(requested, OpenStreams, streams)
    return Counted.make({
      id: job.jobId,
      headers,
      body,
      refusesGzip: true,
      stopped: (description, bytes, bytesExpected) =>
        failed({ ...defined({ description, bytes, bytesExpected }), outcome: "unknown", isTransient: true })
    }).stream
  })

  return {
    send,
    /** A file's bytes. Each run of the stream requests the file. */
    download: <E, R>(job: Download<E, R>) => Stream.unwrap(received(job))
  }
})
