import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { messageFirst } from "../../errors/internal/failure.ts"
import type { Problem } from "./options.ts"

/**
 * An invalid setting. `setting` is the option's name, `problem` a phrase to read after the name, and `client` the client's name.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidConfiguration extends messageFirst(
  Schema.TaggedError<InvalidConfiguration>()("InvalidConfiguration", {
    setting: Schema.String,
    problem: Schema.String,
    client: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    return `${this.client === undefined ? "" : `${this.client}: `}${this.setting} ${this.problem}`
  }
}

/** Converts the problem of an option to an error. */
export const usable = <A>(decoded: Result.Result<A, Problem>): Result.Result<A, InvalidConfiguration> =>
  Result.mapError(decoded, ({ field, problem }) => new InvalidConfiguration({ setting: field, problem }))
