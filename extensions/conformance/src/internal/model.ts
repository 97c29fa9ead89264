/** Types: a check, the offers of a host under test, and a check's failures. */
import type { Documents } from "@effect-lingua/core/documents/Documents"
import type * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import { Failure } from "@effect-lingua/core/extension/Service"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import type { State } from "@effect-lingua/testing/fake/Dialect"
import type { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import type { OperationName } from "@effect-lingua/testing/faults/Fault"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import type * as Socket from "effect/socket/Socket"

export type ErrorName = keyof typeof ServiceError

/** A translated document, with its content if it is known. */
export interface FinishedDocument extends Documents.DocumentRef {
  readonly content?: Uint8Array | undefined
}

/** What a host under test can offer to checks, in addition to its address and a key. */
export interface Offers {
  /** Permission for calls that use up characters of the account. */
  readonly characters: true
  /** The key belongs to the paid tier. */
  readonly paidTier: true
  /** The account has opted in to language detection. */
  readonly detection: true
  /** A document that no check downloads. */
  readonly document: Effect.Effect<Documents.DocumentRef>
  /** A translated document that one check may download. */
  readonly finishedDocument: Effect.Effect<FinishedDocument, NotOffered>
  /** A document that is still being translated. */
  readonly unfinishedDocument: Effect.Effect<Documents.DocumentRef>
  /** A document whose translation failed. */
  readonly failedDocument: Effect.Effect<Documents.DocumentRef>
  /** A key with scopes, but without `languages:read`. */
  readonly scopedKey: Redacted.Redacted
  readonly freeKey: Redacted.Redacted
  /** A key of an account that has not opted in to language detection. */
  readonly keyWithoutDetection: Redacted.Redacted
  readonly adminKey: Redacted.Redacted
  /** Permission to create developer keys, which stay in the list of keys after their deactivation. */
  readonly createKeys: true
  /** The handle of a fake, to script faults and set quotas. */
  readonly fake: FakeLanguageService["Service"]
  /** Opens WebSockets to the host under test. */
  readonly webSocket: Socket.WebSocketConstructor["Service"]
  /** Advances the time, including the time of the host under test. */
  readonly advance: (duration: Duration.Input) => Effect.Effect<void>
}

/** The name of an offer that a check needs. */
export type Need = keyof Offers

export type Offered = { readonly [N in Need]?: Offers[N] | undefined }

/** The host under test. */
export class Subject extends Context.Service<Subject, {
  /** The run's id, which is part of all resource names. */
  readonly runId: string
  readonly offers: Offered
}>()("@effect-lingua/conformance/internal/model/Subject") {}

/** A check is skipped, because the host under test does not meet a need. */
export class NotOffered
  extends Failure.messageFirst(Data.TaggedError("NotOffered"))<{ readonly need: Need; readonly reason: string }>
{
  override get message(): string {
    return this.reason
  }
}

/** The host under test deviates from the specification or a public description. */
export class CheckFailed extends Failure.messageFirst(Data.TaggedError("CheckFailed"))<{
  readonly check: string
  readonly source: string
  readonly expected: string
  readonly got: string
}> {
  override get message(): string {
    return `${this.check}. Expected: ${this.expected} (${this.source}). Got: ${this.got}`
  }
}

export type Requirements = HttpClient.HttpClient | LanguageService | OtherServices | Subject

/** The operations that a check called, and the expected errors that it received. */
export interface Seen {
  readonly operations: ReadonlyArray<OperationName>
  readonly errors: ReadonlyArray<ErrorName>
}

/** A check of one behaviour of the service. */
export interface Check {
  /** A sentence that states the expected behaviour. */
  readonly name: string
  /** The authority: sections of the specification, public descriptions, or descriptions of a newer API version. */
  readonly source: string
  /** The API versions that require the behaviour. */
  readonly states: ReadonlyArray<State>
  readonly needs: ReadonlyArray<Need>
  /** Characters that the service counts for the check. */
  readonly characters: number
  /** Runs the check and removes its resources, even after a failure or an interruption. */
  readonly effect: Effect.Effect<Seen, CheckFailed | NotOffered, Requirements>
}
