/** The states of voice jobs, derived from elapsed time. */
import type { Fake } from "@effect-lingua/testing/extension/Resource"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import type { VoiceJob, VoiceResult } from "../../VoiceApi.ts"
import type { StoredVoiceJob } from "./stored.ts"

/** Time for which a job waits for its file. */
const uploadLife = Duration.toMillis("5 minutes")
const resultLife = Duration.toMillis("1 hour")

const encoder = new TextEncoder()

const stateOf = (fake: Fake, { created, fails, file }: StoredVoiceJob, now: number) => {
  if (file === undefined) return now < created + uploadLife ? "pending" : "failed"
  const workedMillis = now - file.at
  const workMillis = Duration.toMillis(fake.settings.readyAfter)
  return workedMillis < workMillis / 10
    ? "uploaded"
    : workedMillis < workMillis
    ? "processing"
    : (fails ?? file.problem) === undefined
    ? "complete"
    : "failed"
}

/** True while a job counts against the limit of jobs in progress. */
export const isRunning = (fake: Fake, job: StoredVoiceJob, now: number): boolean =>
  ["uploaded", "processing"].includes(stateOf(fake, job, now))

/** True once the service has deleted a job. */
export const isGone = ({ file }: StoredVoiceJob, now: number): boolean =>
  file !== undefined && now >= file.at + resultLife

/** URL of a job's `speech` file or `results`. */
const addressOf = (host: string, kind: string, { id }: StoredVoiceJob) => `${host}/_storage/${kind}/${id}`

export const startedOf = (job: StoredVoiceJob, host: string, isSigned: boolean) => {
  const url = addressOf(host, "speech", job)
  return {
    jobId: job.id,
    uploadUrl: Redacted.make(url),
    signature: Redacted.make(job.signature),
    // `uploadUrl` needs the signature in a header; `signedUploadUrl` contains the signature.
    ...(isSigned ? { signedUploadUrl: Redacted.make(`${url}?signature=${job.signature}`) } : undefined)
  }
}

export const jobOf = (fake: Fake, job: StoredVoiceJob, now: number, host: string, isSigned: boolean): VoiceJob => {
  const state = stateOf(fake, job, now)
  const resultOf = (target: number): VoiceResult => {
    if (state === "failed") {
      return {
        state,
        error: {
          code: job.file === undefined ? "upload_expired" : "translation_failed",
          message: (job.file && (job.fails ?? job.file.problem)) ?? "The file did not arrive in time."
        }
      }
    }
    if (state !== "complete") return { state }
    const url = `${addressOf(host, "results", job)}/${target}`
    return {
      state: job.fetched.has(target) ? "downloaded" : "complete",
      downloadUrl: Redacted.make(url),
      signature: Redacted.make(job.signature),
      ...(isSigned ? { signedDownloadUrl: Redacted.make(`${url}?signature=${job.signature}`) } : undefined)
    }
  }
  return {
    jobId: job.id,
    product: "voice",
    operation: "translate",
    usage: { storageUsed: job.file?.bytes ?? 0 },
    sourceFile: { name: job.name, contentType: job.contentType, contentLength: job.contentLength },
    parameters: job.sourceLanguage === undefined ? {} : { sourceLanguage: job.sourceLanguage },
    createdAt: DateTime.makeUnsafe(job.created),
    updatedAt: DateTime.makeUnsafe(job.file?.at ?? job.created),
    targets: job.targets,
    results: job.targets.map((_, target) => resultOf(target))
  }
}

/** Accepts the file of a job. Returns false if the job already has a file or has expired. */
export const receive = (fake: Fake, job: StoredVoiceJob, bytes: number, now: number): boolean => {
  if (stateOf(fake, job, now) !== "pending") return false
  job.file = {
    at: now,
    bytes,
    problem: bytes === job.contentLength
      ? undefined
      : `The file has ${bytes} bytes instead of ${job.contentLength}.`
  }
  return true
}

/** Returns the result of a target if the job is complete, and records the download. */
export const fetch = (fake: Fake, job: StoredVoiceJob, target: number, now: number): Uint8Array | undefined => {
  const requestedTarget = job.targets[target]
  if (requestedTarget === undefined || stateOf(fake, job, now) !== "complete" || isGone(job, now)) return undefined
  job.fetched.add(target)
  return encoder.encode(`${job.name} in ${requestedTarget.language}`)
}
