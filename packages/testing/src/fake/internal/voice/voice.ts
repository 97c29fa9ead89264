/** Voice: jobs that translate speech, and tokens of realtime sessions. There is no WebSocket behind them. */
import { RateLimited } from "@effect-lingua/core/client/ServiceError"
import { VoiceJobId } from "@effect-lingua/core/voice/VoiceApi"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import { group } from "../group.ts"
import { step, type StoredVoiceJob, tookEffect } from "../state.ts"
import * as VoiceJobs from "./voiceJobs.ts"

/** The number of jobs of an account that may be processed at once. The limit of 2 for large files is not simulated. */
const mostJobs = 10

/** The time for which a token is valid. */
const tokenLife = Duration.toMillis("1 minute")

export const layer = group("Voice", (handlers, fake) => {
  const { limits } = fake.settings

  /** A session with a token for one use. */
  const sessionOf = (account: string, session: string, now: number, host: string) => {
    const token = fake.store.ids.hex(64)
    fake.store.voiceTokens.set(token, { account, session, expires: now + tokenLife })
    return {
      streamingUrl: Redacted.make(`${host.replace(/^http/, "ws")}/_voice/realtime`),
      token: Redacted.make(token),
      sessionId: session
    }
  }

  return handlers.handleAll({
    start: ({ payload: { sourceFile, targets } }) =>
      step(function*(at, { account, host, jobFails, note }) {
        const { contentLength, contentType, name } = sourceFile
        if (name === "") yield* badRequest("/source_file/name: Value is not valid")
        if (contentLength < 1 || contentLength > limits.voiceBytes) {
          yield* badRequest("/source_file/content_length: Value is not valid")
        }
        if (targets.length === 0) yield* badRequest("/targets: Value is not valid")
        const empty = targets.findIndex(({ type }) => type === "")
        if (empty !== -1) yield* badRequest(`/targets/${empty}/type: Value is not valid`)
        const now = DateTime.toEpochMillis(at)
        const running = fake.store.voiceJobs.owned(account).filter((job) => VoiceJobs.isRunning(fake, job, now))
        if (running.length >= mostJobs) {
          return yield* Result.fail(new RateLimited({ description: "Too many concurrent jobs" }))
        }
        const { ids, voiceJobs } = fake.store
        const id = VoiceJobId.make(ids.uuid())
        const job: StoredVoiceJob = {
          id,
          signature: ids.hex(64),
          // Every other job, so that a client meets both.
          isSigned: voiceJobs.size % 2 === 1,
          created: now,
          name,
          contentType,
          contentLength,
          targets,
          fails: jobFails,
          file: undefined,
          fetched: new Set()
        }
        voiceJobs.add(account, id, job)
        tookEffect(fake, note, id)
        return VoiceJobs.startedOf(job, host)
      }),
    status: ({ params: { jobId } }) =>
      step((at, { account, host }) => {
        const job = fake.store.voiceJobs.lookUp(account, jobId)
        const now = DateTime.toEpochMillis(at)
        return job === undefined || VoiceJobs.isGone(job, now)
          ? fake.store.voiceJobs.absent()
          : Result.succeed(VoiceJobs.jobOf(fake, job, now, host))
      }),
    requestSession: ({ payload }) =>
      step(function*(now, { account, host, note }) {
        const { sourceMediaContentType, targetLanguages = [], targetMediaLanguages = [] } = payload
        if (sourceMediaContentType === "") yield* notSupported("source_media_content_type")
        if (targetLanguages.length > limits.voiceTargets) yield* notSupported("target_languages")
        if (targetMediaLanguages.length > limits.voiceMediaTargets) yield* notSupported("target_media_languages")
        const session = fake.store.ids.uuid()
        tookEffect(fake, note, session)
        return sessionOf(account, session, DateTime.toEpochMillis(now), host)
      }),
    reconnect: ({ query }) =>
      step((at, { account, host, note }) => {
        const token = Redacted.value(query.token)
        const known = fake.store.voiceTokens.get(token)
        const now = DateTime.toEpochMillis(at)
        if (known === undefined || known.account !== account || now >= known.expires) {
          return badRequest("The token is not valid")
        }
        fake.store.voiceTokens.delete(token)
        tookEffect(fake, note, known.session)
        return Result.succeed(sessionOf(account, known.session, now, host))
      })
  })
})
