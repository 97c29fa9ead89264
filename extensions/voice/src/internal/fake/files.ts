import { type Fake, SignedFiles } from "@effect-lingua/testing/extension/Resource"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type StoredVoiceJob, voiceJobs } from "./stored.ts"
import * as VoiceJobs from "./voiceJobs.ts"

/** `Authorization` schemes of signatures, derived from the keys' schemes. */
const signatureSchemes = ({ settings }: Fake): ReadonlyArray<string> =>
  settings.authSchemes.map((scheme) => `${scheme.replace(/-Auth-Key$/i, "")}-Signature`)

/** Accepts a speech file or serves a result. Requires the signature, in a header or in the address, instead of an API key. */
const answerJob = Effect.fnUntraced(function*(
  fake: Fake,
  url: string,
  job: StoredVoiceJob,
  [kind, target]: readonly [kind: string, target: string]
) {
  if (!Duration.isZero(fake.settings.latency)) yield* Effect.sleep(fake.settings.latency)
  const now = yield* Clock.currentTimeMillis
  const request = yield* HttpServerRequest.HttpServerRequest
  const signed = new URL(url, fake.origin).searchParams.get("signature")
  const authorization = request.headers["authorization"]
  const hasSignature = signatureSchemes(fake).some((scheme) => authorization === `${scheme} ${job.signature}`)
  if (signed === null ? !hasSignature : authorization !== undefined || signed !== job.signature) {
    return SignedFiles.refused(403, "SignatureDoesNotMatch", url)
  }
  if (kind === "speech" && request.method === "PUT") {
    // The documented media type is application/octet-stream. Whether the service refuses other types is unknown; the fake
    // accepts all, and records the type of each request.
    const { byteLength } = yield* SignedFiles.bytesOf(fake, request)
    return VoiceJobs.receive(fake, job, byteLength, now)
      ? HttpServerResponse.empty({ status: 204 })
      : SignedFiles.refused(403, "AccessDenied", url)
  }
  if (kind === "results" && request.method === "GET") {
    const targetIndex = Number(target)
    const content = VoiceJobs.fetch(fake, job, targetIndex, now)
    return content === undefined
      ? SignedFiles.refused(404, "NotFound", url)
      : SignedFiles.fileOf(content, job.targets[targetIndex]?.type ?? "application/octet-stream")
  }
  return SignedFiles.refused(405, "MethodNotAllowed", url)
})

export const answer = (fake: Fake, url: string) => {
  if (!SignedFiles.isAt(url)) return undefined
  const { pathname } = new URL(url, fake.origin)
  const [kind = "", id = "", target = ""] = pathname.slice(SignedFiles.prefix.length).split("/")
  const job = voiceJobs(fake).get(id)
  return job && answerJob(fake, url, job, [kind, target])
}
