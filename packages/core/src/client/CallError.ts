/**
 * The failures of a call that the service did not answer for: the connection, the deadline, an answer that makes no
 * sense, and input that is refused before anything is sent.
 *
 * **Details**
 *
 * Like the errors of the service every class has `operation`, `description`, `attempts` (the ledger), `outcome` (what is
 * known about the effect of the whole call) and `isTransient` (whether the same call can work later). Every error after an
 * upload has `document`, the id and the key of the document.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { EntryProblem } from "./EntryProblem.ts"
import * as Durations from "./internal/duration.ts"
import { failureFields, message, outcomeOfCall, releasedCode } from "./internal/failure.ts"

const KnownOutcome = Schema.Literals(["refused", "unknown"])

const traceId = Schema.optionalKey(Schema.String)

/** OpenSSL codes of the alerts by which a server rejects the client's certificate or its absence. */
const unwelcome = /_ALERT_(.*CERTIFICATE.*|UNKNOWN_CA|HANDSHAKE_FAILURE)$/

/** OpenSSL codes for a server certificate of an unknown authority. */
const untrusted = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

const connectionAdvice = ({ code = "", isTransient, proxy }: ConnectionFailed): string => {
  if (proxy !== undefined) {
    return `Check the proxy ${proxy}: its address, its user and password, and what it allows`
  }
  if (code === releasedCode) return "Nothing was sent; make calls while the scope of the client's layer is open"
  if (isTransient) return "Check that the host answers"
  if (unwelcome.test(code)) {
    return "The service demands a certificate of the client that it accepts: set one (in Node.js `pool.tls.client`)"
  }
  const host = "Check LANGUAGE_SERVICE_BASE_URL, the host and its certificate"
  return untrusted.test(code)
    ? `${host}, or trust its authority (in Node.js by \`pool.tls.ca\` or NODE_EXTRA_CA_CERTS)`
    : host
}

/**
 * The request had no connection, so nothing was sent: refused, host not found, name server failing, certificate not accepted,
 * handshake broken off, or the layer of the client released. `code` is the platform's code, such as `ECONNREFUSED`, or
 * `ERR_CLIENT_RELEASED`. An unknown host, a bad certificate and a released layer are not transient. `proxy` is the host and port
 * of the proxy if it was the proxy that refused the connection.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>()("ConnectionFailed", {
  ...failureFields,
  code: Schema.optionalKey(Schema.String),
  proxy: Schema.optionalKey(Schema.String),
  isTransient: Schema.Boolean
}) {
  readonly outcome = outcomeOfCall(this.attempts, "refused")
  override get message(): string {
    return message(this, "no connection to the service", connectionAdvice(this))
  }
}

/**
 * The connection broke after the request went out: no answer, or an answer that ended early.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  ...failureFields,
  code: Schema.optionalKey(Schema.String),
  traceId
}) {
  readonly outcome = "unknown"
  readonly isTransient = true
  override get message(): string {
    return message(this, "the connection broke", "Whether the service acted is not known; try later")
  }
}

/**
 * An attempt got no answer, or no more of its body, within the time that the policy gives it.
 *
 * @category errors
 * @since 0.1.0
 */
export class AttemptTimeout extends Schema.TaggedError<AttemptTimeout>()("AttemptTimeout", {
  ...failureFields,
  limit: Schema.Duration
}) {
  readonly outcome = "unknown"
  readonly isTransient = true
  override get message(): string {
    return message(
      this,
      `no answer within ${Durations.format(this.limit)}`,
      "Whether the service acted is not known; try later or raise the timeout"
    )
  }
}

/**
 * The deadline of the call passed, while it was in flight (`unknown`) or before anything was sent (`refused`). A call whose next
 * wait would pass the deadline fails at once with its last error instead.
 *
 * @category errors
 * @since 0.1.0
 */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  ...failureFields,
  deadline: Schema.Duration,
  outcome: KnownOutcome
}) {
  readonly isTransient = true
  override get message(): string {
    return message(
      this,
      `the deadline of ${Durations.format(this.deadline)} passed`,
      this.outcome === "unknown"
        ? "Whether the last attempt took effect is not known; try later or raise the deadline"
        : this.attempts.length === 0
        ? "Nothing was sent; try later or raise the deadline"
        : "Try later or raise the deadline"
    )
  }
}

/**
 * The circuit breaker is open: the service failed too often lately, so nothing was sent. `retryAfter` says when the next
 * attempt may be let through.
 *
 * @category errors
 * @since 0.1.0
 */
export class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("CircuitOpen", {
  ...failureFields,
  retryAfter: Schema.Duration
}) {
  readonly outcome = outcomeOfCall(this.attempts, "refused")
  readonly isTransient = true
  override get message(): string {
    return message(
      { operation: this.operation, description: this.description, attempts: this.attempts },
      "the circuit breaker is open",
      `Nothing was sent, as the service fails too often; come back in ${Durations.format(this.retryAfter)}`
    )
  }
}

/**
 * An answer that the contract does not know: an undocumented status, a body of another shape, type or length than
 * promised, or one over the limit of size. Transient for an unknown status from 500 on, and for a success that was garbled on its
 * way: not UTF-8, or no JSON where JSON was promised, such as the page of a gateway. `body` keeps the start of it as
 * evidence; it is `Redacted` because it can hold a user's text.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>()("UnexpectedResponse", {
  ...failureFields,
  status: Schema.Int,
  traceId,
  body: Schema.optionalKey(Schema.Redacted(Schema.String)),
  outcome: KnownOutcome,
  isTransient: Schema.Boolean
}) {
  override get message(): string {
    return message(
      this,
      "the answer is not one that the interface knows",
      "Give the trace id to the service's support; when the base URL is new, check that it is the service's"
    )
  }
}

/**
 * A creating call whose fate is not known: it may have made the object or not, so it was not repeated. `lookup` has what
 * is needed to look for it, `cause` the name of the error that hid the answer.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  ...failureFields,
  cause: Schema.String,
  lookup: Schema.Record(Schema.String, Schema.String),
  traceId
}) {
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    const lookup = Object.entries(this.lookup).map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", ")
    return message(
      this,
      `whether it took effect is not known (${this.cause})`,
      lookup === ""
        ? "There is nothing to look for it by, and sending it again can create it twice"
        : `Look for an object with ${lookup} before sending it again`
    )
  }
}

/**
 * A document whose bytes stopped coming after the download began. The service deletes a document with its download, so
 * what arrived may be all there is. `bytesReceived` counts what came, `bytesExpected` is the promised length where one
 * was given, `path` the file that holds what came. `available` says whether the service still has the document: it was
 * asked once more, and the field is absent when it gave no answer.
 *
 * @category errors
 * @since 0.1.0
 */
export class DownloadInterrupted extends Schema.TaggedError<DownloadInterrupted>()("DownloadInterrupted", {
  ...failureFields,
  documentId: Schema.String,
  bytesReceived: Schema.Int,
  bytesExpected: Schema.optionalKey(Schema.Int),
  path: Schema.optionalKey(Schema.String),
  available: Schema.optionalKey(Schema.Boolean),
  traceId
}) {
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    const of = this.bytesExpected === undefined ? "" : ` of ${this.bytesExpected}`
    const kept = this.path === undefined ? "" : ` They are kept in ${this.path}.`
    const advice = this.available === undefined
      ? "Whether the service still has it could not be found out: resume it, or else upload it again"
      : this.available
      ? "The service still has it: resume it, or download it again"
      : "The service has deleted it: upload it again"
    return message(
      this,
      `the download of document ${this.documentId} stopped after ${this.bytesReceived}${of} bytes`,
      `${advice}.${kept}`
    )
  }
}

/**
 * The document is claimed by another fiber, or by another process that shares the journal. `holder` names it.
 *
 * @category errors
 * @since 0.1.0
 */
export class Busy extends Schema.TaggedError<Busy>()("Busy", {
  ...failureFields,
  id: Schema.String,
  holder: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = true
  override get message(): string {
    return message(this, `document ${this.id} is claimed by ${this.holder}`, "Nothing was done; wait until that ends")
  }
}

/**
 * The journal has nothing by which the document could be gone on with. `id` is the one that was asked for, `description`
 * says what is missing.
 *
 * @category errors
 * @since 0.2.0
 */
export class NotResumable extends Schema.TaggedError<NotResumable>()("NotResumable", {
  ...failureFields,
  id: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(this, `${this.id} cannot be resumed`, "Nothing was done; `pending` of the service lists what can be")
  }
}

/**
 * The stream of a file that was being uploaded failed, so the upload was broken off. `cause` is its failure.
 *
 * @category errors
 * @since 0.2.0
 */
export class SourceFailed extends Schema.TaggedError<SourceFailed>()("SourceFailed", {
  ...failureFields,
  cause: Schema.Defect()
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(this, "the file could not be read to its end", "Nothing was taken in; see the cause")
  }
}

/**
 * A job was not done by the deadline: the import or export of a translation memory, an evaluation of translations, or a
 * translation of speech. It goes on at the service: wait for it again. `state` is the last that was seen, empty where none was.
 *
 * @category errors
 * @since 0.2.0
 */
export class JobNotDone extends Schema.TaggedError<JobNotDone>()("JobNotDone", {
  ...failureFields,
  jobId: Schema.String,
  state: Schema.String
}) {
  readonly outcome = "pending"
  readonly isTransient = true
  override get message(): string {
    return message(
      this,
      `job ${this.jobId} is not done${this.state === "" ? "" : `, its state is ${JSON.stringify(this.state)}`}`,
      "It goes on at the service: wait for it or resume it later, or raise documentDeadline"
    )
  }
}

/**
 * The file of a job did not get to, or from, the address that the service gave for it. `host` is that of the
 * address, whose other parts are secret; `status` what was answered there, if anything was; `bytes` counts what came of a
 * download. The key is never sent there.
 *
 * @category errors
 * @since 0.2.0
 */
export class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", {
  ...failureFields,
  direction: Schema.Literals(["upload", "download"]),
  jobId: Schema.String,
  host: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  bytes: Schema.optionalKey(Schema.Int),
  bytesExpected: Schema.optionalKey(Schema.Int),
  outcome: KnownOutcome,
  isTransient: Schema.Boolean
}) {
  override get message(): string {
    const of = this.bytesExpected === undefined ? "" : ` of ${this.bytesExpected}`
    const after = this.bytes === undefined ? "" : ` after ${this.bytes}${of} bytes`
    return message(
      this,
      `the ${this.direction} of job ${this.jobId}${this.host === "" ? "" : ` at ${this.host}`} failed${after}`,
      this.direction === "download"
        ? "Nothing is lost: resume it, or fetch it again"
        : this.isTransient
        ? "Resume it, or start again with the file"
        : "Start again with the file: the address may have expired, or does not take a file twice"
    )
  }
}

/**
 * Input that is refused before anything is sent. `parameter` is the path to the value, such as `customInstructions[2]`,
 * `given` describes it (never its text), `allowed` the rule.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  ...failureFields,
  parameter: Schema.String,
  given: Schema.String,
  allowed: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `${this.parameter}: given ${this.given}, allowed ${this.allowed}`,
      "Nothing was sent; correct the input"
    )
  }
}

/**
 * A metered call that would pass the budget of the client (`characterBudget` of the configuration). `given` are the
 * characters of the call, `remaining` those that are left of `budget`.
 *
 * @category errors
 * @since 0.2.0
 */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  ...failureFields,
  given: Schema.Int,
  remaining: Schema.Int,
  budget: Schema.Int
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `given ${this.given} characters, and ${this.remaining} are left of the budget of ${this.budget}`,
      "Nothing was sent; send less, or raise characterBudget in the configuration"
    )
  }
}

/**
 * Several style rule lists have the name and the language of one that is wanted, so nobody knows which is meant. `styleIds`
 * are theirs.
 *
 * @category errors
 * @since 0.2.0
 */
export class DuplicateStyleRules extends Schema.TaggedError<DuplicateStyleRules>()("DuplicateStyleRules", {
  ...failureFields,
  name: Schema.String,
  language: Schema.String,
  styleIds: Schema.Array(Schema.String)
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `${this.styleIds.length} lists for ${this.language} are named ${JSON.stringify(this.name)}: ${
        this.styleIds.join(", ")
      }`,
      "Nothing was changed; say which is meant by its styleId, or delete the others"
    )
  }
}

/** Where a rule of glossary entries is broken, in words. */
const placeOf = ({ column, entry, line }: EntryProblem): string =>
  line === undefined ? `entry ${entry ?? 0}` : `line ${line}${column === undefined ? "" : `, column ${column}`}`

/**
 * Entries of a glossary that break rules, refused before anything is sent. `problems` are the first of them with their
 * places, `count` says how many there are.
 *
 * @category errors
 * @since 0.2.0
 */
export class InvalidEntries extends Schema.TaggedError<InvalidEntries>()("InvalidEntries", {
  ...failureFields,
  parameter: Schema.String,
  problems: Schema.Array(EntryProblem),
  count: Schema.Int
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    const shown = this.problems.slice(0, 3)
    const more = this.count - shown.length
    const said = shown.map((problem) => `${placeOf(problem)}: ${problem.reason}`).join("; ")
    return message(
      this,
      `${this.parameter}: ${said}${more > 0 ? `; and ${more} more` : ""}`,
      "Nothing was sent; correct the entries"
    )
  }
}

/**
 * Several glossaries have the name of one that is wanted, so nobody knows which is meant. `glossaryIds` are theirs.
 *
 * @category errors
 * @since 0.2.0
 */
export class DuplicateGlossaries extends Schema.TaggedError<DuplicateGlossaries>()("DuplicateGlossaries", {
  ...failureFields,
  name: Schema.String,
  glossaryIds: Schema.Array(Schema.String)
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `${this.glossaryIds.length} glossaries are named ${JSON.stringify(this.name)}: ${this.glossaryIds.join(", ")}`,
      "Nothing was changed; say which is meant by its glossaryId, or delete the others"
    )
  }
}

/**
 * An operation of version 2 was refused for a glossary that version 3 has: it was edited with version 3, or made there, and
 * version 2 cannot read or delete it any more (reference B15 and C4). `cause` is the name of the error that the service
 * answered with.
 *
 * @category errors
 * @since 0.2.0
 */
export class GlossaryV3Only extends Schema.TaggedError<GlossaryV3Only>()("GlossaryV3Only", {
  ...failureFields,
  glossaryId: Schema.String,
  cause: Schema.String,
  traceId
}) {
  readonly outcome = outcomeOfCall(this.attempts, "refused")
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `version 2 cannot work with glossary ${this.glossaryId}, which was edited or made with version 3`,
      "Use the method of the same name of Glossaries"
    )
  }
}

/**
 * A code that the list of languages does not have, or not on the side that was asked for. `nearest` is the one that may be
 * meant.
 *
 * @category errors
 * @since 0.2.0
 */
export class UnknownLanguage extends Schema.TaggedError<UnknownLanguage>()("UnknownLanguage", {
  ...failureFields,
  resource: Schema.String,
  code: Schema.String,
  nearest: Schema.optionalKey(Schema.String)
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `${JSON.stringify(this.code)} is not a language of ${this.resource}`,
      this.nearest === undefined ? "Languages.targets has those that are" : `Perhaps ${this.nearest} is meant`
    )
  }
}

/**
 * Input over a limit of the service, refused before anything is sent. `given` and `allowed` are numbers of `unit`; for texts more
 * than eight times over the limit, `given` is a lower bound.
 * The limits are configuration (`Limits`), for plans that have others.
 *
 * @category errors
 * @since 0.1.0
 */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>()("LimitExceeded", {
  ...failureFields,
  parameter: Schema.String,
  unit: Schema.Literals(["texts", "bytes", "characters", "instructions", "items", "days"]),
  given: Schema.Int,
  allowed: Schema.Int
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return message(
      this,
      `${this.parameter}: given ${this.given} ${this.unit}, allowed ${this.allowed}`,
      "Nothing was sent; split the input, or raise the limit in the configuration if the plan has another"
    )
  }
}
