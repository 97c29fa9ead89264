/**
 * Files at pre-signed addresses. They are outside of the service: neither the key nor a configured header is sent there, and
 * spans and errors contain only the host of an address.
 */
import * as Effect from "effect/Effect"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { CallRecord, ledger } from "../../call/internal/callRecord.ts"
import { OpenStreams } from "../../call/internal/openStreams.ts"
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

/** The address of a file, with a credential if it is not signed itself. */
export interface Address {
  readonly url: Redacted.Redacted
  readonly authorization?: Redacted.Redacted
}

/** The job of a transfer, and its policy. */
export interface Transfer {
  readonly operation: string
  readonly jobId: WorkId
  readonly policy: ResiliencePolicy
}

/** A file to be sent. */
export interface Upload extends Transfer {
  readonly address: Address
  readonly body: HttpBody.HttpBody
  readonly record: CallRecord
}

/** A file to be fetched. */
export interface Download<E, R> extends Transfer {
  /** The address for an attempt, which counts from 1. One that failed before may have expired. */
  readonly address: (number: number) => Effect.Effect<Address, E, R>
}

/** The reason why an address is not used, if there is one. As for the base address, `http:` is restricted. */
export const problemOf = (
  url: URL,
  base: URL,
  [secure, plain]: readonly [secure: string, plain: string] = ["https:", "http:"]
): string | undefined => {
  if (url.username !== "" || url.password !== "") return "the address has a user"
  // A remote service must not refer to this machine or its network.
  const reach = reachOf(url)
  if (reach === "machine" && reachOf(base) !== "machine") return "the address leads to this machine"
  if (reach === "network" && reachOf(base) === "world") return "the address leads into a private or reserved network"
  if (url.protocol === secure) return undefined
  if (url.protocol !== plain) return `the address has the scheme ${url.protocol}`
  return base.protocol === "http:" && (isLoopback(url) || url.hostname === base.hostname)
    ? undefined
    : `the address has the scheme ${plain} and must have ${secure}`
}

/** Statuses of a storage after which the same request can work later. */
const transient = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** Transfers by the sender of the client. */
export const make = Effect.gen(function*() {
  const { transfer } = yield* Sender
  const streams = yield* OpenStreams
  const { baseUrl } = yield* LanguageServiceConfig

  /** The response of a transfer, and its errors. */
  const prepare = <E, R>({ addressOf, build, direction, jobId, operation, policy, record }: Transfer & {
    readonly direction: "upload" | "download"
    readonly addressOf: (number: number) => Effect.Effect<Address, E, R>
    readonly build: (url: URL) => HttpClientRequest.HttpClientRequest
    readonly record: CallRecord
  }) => {
    let host = ""
    const made = (fields: Pick<TransferFailed, "outcome" | "isTransient"> & Partial<TransferFailed>) =>
      // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
      new TransferFailed({ operation, direction, jobId: AnyJobId.make(jobId), host, ...fields })
    /** The error with the ledger of the transfer. */
    const failed = (error: TransferFailed) => {
      const attempts = ledger(record)
      // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
      return made({ ...error, attempts, outcome: outcomeOfCall(attempts, error.outcome) })
    }
    const response = transfer<HttpClientResponse.HttpClientResponse, E | TransferFailed, R>({
      operation,
      policy,
      record,
      template: `{${direction}_url}`,
      addressOf: (number) =>
        Effect.flatMap(addressOf(number), (address) => {
          const given = Redacted.value(address.url)
          const authorization = address.authorization === undefined ? undefined : Redacted.value(address.authorization)
          const url = URL.canParse(given) ? new URL(given) : undefined
          host = url?.host ?? ""
          const problem = url === undefined ? "the address is no URL" : problemOf(url, baseUrl)
          if (url === undefined || problem !== undefined) {
            const description = `Nothing was sent: ${problem ?? ""}`
            return Effect.fail(failed(made({ description, outcome: "refused", isTransient: false })))
          }
          const { href, pathname, search, searchParams } = url
          const request = build(url)
          return Effect.succeed({
            url,
            secrets: [
              href,
              `${pathname}${search}`,
              ...searchParams.values(),
              ...(authorization === undefined ? [] : [authorization])
            ],
            request: authorization === undefined
              ? request
              : HttpClientRequest.setHeader(request, "authorization", authorization)
          })
        }),
      decode: (response) => {
        const { status } = response
        if (hasWholeBody(status) || (direction === "upload" && isSuccess(status))) {
          return Effect.succeed(response)
        }
        // The body of a storage's error can repeat the signature.
        return Effect.fail(made({
          description: `The storage responded with status ${status}`,
          status,
          outcome: outcomeOf(status),
          // Another address may be accepted.
          isTransient: direction === "download" || transient(status)
        }))
      },
      failed: (failure) =>
        failed(
          failure instanceof TransferFailed
            ? failure
            // The platform's message can contain the address.
            : made({
              description: record.sanitizer.fit(`${failure._tag} ${failure.description}`),
              outcome: failure.outcome === "refused" ? "refused" : "unknown",
              isTransient: failure.isTransient
            })
        )
    })
    return { response, made, failed }
  }

  /** Sends a file. It may be sent again to the same address until that expires. */
  const upload = ({ address, body, ...given }: Upload) =>
    Effect.asVoid(
      prepare({
        ...given,
        direction: "upload",
        addressOf: () => Effect.succeed(address),
        build: (url) => HttpClientRequest.setBody(HttpClientRequest.put(url), body)
      }).response
    )

  /** The bytes of a file, once the response of the storage has begun. */
  const download = Effect.fnUntraced(function*<E, R>({ address, ...given }: Download<E, R>) {
    const reporter = yield* Reporter
    const { failed, made, response: requested } = prepare({
      ...given,
      record: new CallRecord(given.operation),
      direction: "download",
      addressOf: address,
      build: (url) => HttpClientRequest.get(url)
    })
    const response = yield* Effect.provideService(requested, OpenStreams, streams)
    const encoding = Counted.encodingOf(response.headers)
    const total = Counted.promisedBy(response.headers["content-length"], encoding)
    return Counted.make(response.stream, {
      promised: total,
      encoding,
      onBytes: (bytes) => reporter?.(Progress.Received(defined({ id: given.jobId, bytes, total }))),
      stopped: (description, bytes) =>
        failed(
          made({ ...defined({ description, bytes, bytesExpected: total }), outcome: "unknown", isTransient: true })
        )
    })
  })

  return { upload, download: <E, R>(options: Download<E, R>) => Stream.unwrap(download(options)) }
})
