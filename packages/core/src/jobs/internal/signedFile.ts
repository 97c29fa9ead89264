/**
 * Files at pre-signed addresses. They are outside of the service: neither the key nor a configured header is sent there, and
 * spans and errors contain only the host of an address.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Attempt from "../../client/Attempt.ts"
import { TransferFailed } from "../../client/CallError.ts"
import * as Events from "../../client/Events.ts"
import { AnyJobId } from "../../client/Ids.ts"
import type { Sending, Wait } from "../../client/internal/currentCall.ts"
import type { Failure } from "../../client/internal/failure.ts"
import { isLoopback, reachOf } from "../../client/internal/loopback.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { defined } from "../../client/internal/optional.ts"
import { outcomeOf, outcomeOfCall } from "../../client/internal/outcome.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Words from "../../client/internal/words.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import type { ResiliencePolicy } from "../../client/ResiliencePolicy.ts"
import * as AttemptRun from "../../resilience/internal/attempt.ts"
import * as Ledger from "../../resilience/internal/ledger.ts"
import * as Lifetime from "../../resilience/internal/lifetime.ts"
import * as OpenStreams from "../../resilience/internal/openStreams.ts"
import * as Repeat from "../../resilience/internal/repeat.ts"
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
  readonly sending: Sending
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

const isSuccess = ({ status }: HttpClientResponse.HttpClientResponse): boolean => status >= 200 && status < 300

/** Transfers over the platform's client. */
export const make = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const events = yield* Events.Events
  const lifetime = yield* Lifetime.Lifetime
  const streams = yield* OpenStreams.OpenStreams
  const { baseUrl, name } = yield* LanguageServiceConfig

  /** One request as a loop of attempts. */
  const send = Effect.fnUntraced(function*<E, R>({ addressOf, build, sending, transfer }: {
    readonly transfer: Transfer & { readonly direction: "upload" | "download" }
    readonly addressOf: (number: number) => Effect.Effect<Address, E, R>
    readonly build: (url: URL) => HttpClientRequest.HttpClientRequest
    readonly sending?: Sending
  }) {
    const { direction, jobId, operation, policy } = transfer
    const clock = yield* Clock.Clock
    const end = Monotonic.nowUnsafe(clock) + Duration.toMillis(policy.jobDeadline)
    const follow = Repeat.make("Replace", policy, end, () => true)
    const attempts: Array<Attempt.Attempt> = []
    const about = { operation, direction, jobId: AnyJobId.make(jobId), attempts }
    const recorder = yield* Attempt.Recorder
    const annotations = yield* References.CurrentLogAnnotations
    let wait: Wait | undefined
    for (let number = 1;; number++) {
      const address = yield* addressOf(number)
      const given = Redacted.value(address.url)
      const authorization = address.authorization === undefined ? undefined : Redacted.value(address.authorization)
      const url = URL.canParse(given) ? new URL(given) : undefined
      const problem = url === undefined ? "the address is no URL" : problemOf(url, baseUrl)
      if (url === undefined || problem !== undefined) {
        return yield* new TransferFailed({
          ...about,
          host: url?.host ?? "",
          description: `Nothing was sent, as ${problem ?? ""}`,
          outcome: "refused",
          isTransient: false
        })
      }
      const { href, pathname, search, searchParams } = url
      const words = Words.make([href, `${pathname}${search}`, ...searchParams.values(), authorization ?? ""])
      // The body of a storage's error can repeat the signature.
      const refused = (status: number) =>
        new TransferFailed({
          ...about,
          host: url.host,
          description: `The storage responded with status ${status}`,
          status,
          outcome: outcomeOf(status),
          // Another address may be accepted.
          isTransient: direction === "download" || transient(status)
        })
      // The platform's message can contain the address.
      const broken = ({ _tag, description, isTransient, outcome }: Failure) =>
        new TransferFailed({
          ...about,
          host: url.host,
          description: words.fit(`${_tag} ${description}`),
          outcome: outcome === "refused" ? "refused" : "unknown",
          isTransient
        })
      const begun = Monotonic.nowUnsafe(clock)
      let isSent = false
      const call = {
        request: authorization === undefined
          ? build(url)
          : HttpClientRequest.setHeader(build(url), "authorization", authorization),
        plan: {
          template: `{${direction}_url}`,
          decode: ({ status }: HttpClientResponse.HttpClientResponse) =>
            status < 400 ? Effect.undefined : Effect.fail(refused(status))
        },
        server: AttemptRun.serverOf(url),
        client: name,
        policy,
        clock,
        lifetime,
        deadline: policy.jobDeadline,
        end,
        words,
        streams: direction === "download" ? streams : undefined,
        timeout: policy.documentTimeout,
        sending
      }
      const attempted = AttemptRun.run((request) => client.execute(request), call, number, {
        onSent: (at) => {
          isSent = at !== undefined
        }
      })
      const inTime = AttemptRun.inTime(call, { remaining: end - begun, isSent: () => isSent })
      const record = (failure?: Ledger.Noted["failure"], status?: number, stopCause?: Attempt.StopCause) => {
        const attempt = new Attempt.Attempt({
          operation,
          number,
          waited: Duration.millis(wait?.millis ?? 0),
          took: Duration.millis(Monotonic.nowUnsafe(clock) - begun),
          ...defined({
            status,
            failure: failure?._tag,
            outcome: failure?.outcome,
            waitCause: wait?.cause,
            stopCause
          })
        })
        attempts.push(attempt)
        recorder?.(attempt)
        publish(events, () => Events.Event.AttemptEnded({ attempt, annotations }))
      }
      const ending = yield* Effect.onInterrupt(
        direction === "download" ? inTime(streams.open(policy, attempted)) : attempted,
        () => isSent ? Effect.sync(() => record(Ledger.interrupted.failure)) : Effect.void
      )
      const now = Monotonic.nowUnsafe(clock)
      const status = ending.response?.status
      if (ending.failure === undefined && isSuccess(ending.response)) {
        record(undefined, status)
        return { response: ending.response, about: { ...about, host: url.host } }
      }
      const failure = ending.failure === undefined
        ? refused(ending.response.status)
        : ending.failure instanceof TransferFailed
        ? ending.failure
        : broken(ending.failure)
      const next = sending?.sourceFailure === undefined ? yield* follow(failure, now) : undefined
      record(failure, status, next?.stop)
      wait = next?.wait
      if (wait === undefined) {
        // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
        return yield* new TransferFailed({ ...failure, attempts, outcome: outcomeOfCall(attempts, failure.outcome) })
      }
      const { cause, millis } = wait
      publish(events, () => Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause, annotations }))
      yield* lifetime.sleep(millis)
    }
  })

  /** Sends a file. It may be sent again to the same address until that expires. */
  const upload = ({ address, body, sending, ...transfer }: Upload) =>
    Effect.asVoid(send({
      transfer: { ...transfer, direction: "upload" },
      addressOf: () => Effect.succeed(address),
      build: (url) => HttpClientRequest.setBody(HttpClientRequest.put(url), body),
      sending
    }))

  /** The bytes of a file, once the response of the storage has begun. */
  const download = Effect.fnUntraced(function*<E, R>({ address, ...transfer }: Download<E, R>) {
    const reporter = yield* Reporter
    const { about, response } = yield* send({
      transfer: { ...transfer, direction: "download" },
      addressOf: address,
      build: (url) => HttpClientRequest.get(url)
    })
    const total = Counted.promisedBy(
      response.headers["content-length"],
      response.headers["content-encoding"] !== undefined
    )
    return Counted.make(response.stream, {
      promised: total,
      onBytes: (bytes) => reporter?.(Progress.Received(defined({ id: transfer.jobId, bytes, total }))),
      stopped: (description, bytes) =>
        new TransferFailed({
          ...about,
          ...defined({ description, bytes, bytesExpected: total }),
          outcome: "unknown",
          isTransient: true
        })
    })
  })

  return { upload, download: <E, R>(options: Download<E, R>) => Stream.unwrap(download(options)) }
})
