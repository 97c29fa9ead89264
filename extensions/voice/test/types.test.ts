import type { CallError, ServiceError } from "@effect-lingua/core"
import type { EvaluationId } from "@effect-lingua/core/contract/Ids"
import type { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import type { EffectArbitrary } from "@effect-lingua/testing/generators/Generators"
import type { Voice } from "@effect-lingua/voice/Voice"
import { generators } from "@effect-lingua/voice/VoiceGenerators"
import { describe, it } from "@effect/vitest"
import type { Effect } from "effect"
import { expectTypeOf } from "vitest"
import type { Common, Either, ErrorOf, Known, Refused } from "../../../packages/core/test/support/errorTags.ts"

type Service = Voice["Service"]
type Tags<R> = ErrorOf<R> extends { readonly _tag: infer Tag } ? Tag : never
type Creation = Refused | Either | "OutcomeUnknown" | "LimitExceeded"
type Waiting = Common | "NotFound" | "JobFailed" | "JobNotDone"
type Sending = "TransferFailed" | "SourceFailed" | "InvalidInput" | "LimitExceeded"

describe("the types of voice", () => {
  it("have exactly these results and failures", () => {
    expectTypeOf<Tags<ReturnType<Service["start"]>>>().toEqualTypeOf<Creation>()
    expectTypeOf<Tags<ReturnType<Service["status"]>>>().toEqualTypeOf<Common | "NotFound">()
    expectTypeOf<Tags<ReturnType<Service["upload"]>>>().toEqualTypeOf<Sending | "DeadlineExceeded">()
    expectTypeOf<Tags<ReturnType<Service["wait"]>>>().toEqualTypeOf<Waiting>()
    expectTypeOf<Tags<ReturnType<Service["translate"]>>>().toEqualTypeOf<Creation | Sending | Waiting>()
    expectTypeOf<Tags<ReturnType<Service["download"]>>>().toEqualTypeOf<Waiting | "TransferFailed">()
    expectTypeOf<Tags<ReturnType<Service["requestSession"]>>>().toEqualTypeOf<Creation | "QuotaExceeded">()
    expectTypeOf<Tags<ReturnType<Service["reconnect"]>>>().toEqualTypeOf<
      Exclude<Creation, "LimitExceeded"> | "QuotaExceeded"
    >()
    expectTypeOf<Effect.Success<ReturnType<Service["start"]>>>().toEqualTypeOf<Voice.StartedVoiceJob>()
    expectTypeOf<Effect.Success<ReturnType<Service["reconnect"]>>>().toEqualTypeOf<Voice.VoiceSession>()
    expectTypeOf<Effect.Services<ReturnType<Service["translate"]>>>().toEqualTypeOf<never>()
    expectTypeOf<Known<Voice.VoiceResultState>>().toEqualTypeOf<
      "pending" | "uploaded" | "processing" | "complete" | "downloaded" | "failed"
    >()
    // The id of one kind of job is not accepted for another.
    expectTypeOf<Voice.VoiceJobId>().not.toExtend<EvaluationId>()
  })

  it("accept the job of an error", () => {
    type Job = Pick<CallError.JobNotDone | CallError.TransferFailed | ServiceError.JobFailed, "jobId">
    type Started = { readonly jobId: NonNullable<CallError.JobNotDone["job"]> }
    expectTypeOf<Job | Started>().toExtend<Parameters<Service["wait"]>[0]>()
  })

  it("are known to the fake and to the generators", () => {
    expectTypeOf<Parameters<FakeLanguageService["Service"]["requestsOf"]>[0]>().extract<
      "Voice.start" | "SpokenTerms.merge"
    >().toEqualTypeOf<"Voice.start" | "SpokenTerms.merge">()
    expectTypeOf(generators.request("Voice.start")).toEqualTypeOf<EffectArbitrary<Voice.StartOptions>>()
    expectTypeOf(generators.error("Voice.start")).toEqualTypeOf<EffectArbitrary<Voice.StartError>>()
  })
})
