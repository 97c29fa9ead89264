/** Commands on texts: those that are given, or with `--lines` the records of the input. */
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { Texts } from "@effect-lingua/core/texts/Bulk"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import { service } from "../../client/config.ts"
import type * as Services from "../../client/services.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import * as Records from "../../files/records.ts"
import { type FileUnusable, type InvalidUsage, misuse } from "../../settings/errors.ts"
import { described, type Value } from "../command.ts"

/** Long texts are split where sentences end. */
export const split = { split: "sentences" } as const

/** The text of a result. */
export const textOf = ({ text }: { readonly text: string }): string => text

/** A command with one result for each text. */
export const textCommand = <
  const P extends Command.Command.Config,
  Options extends object,
  A extends object,
  E,
  R,
  E2,
  E3 = never,
  R3 = never
>(
  name: string,
  { alone = () => undefined, examples, optionsOf, params, send, textOf }: {
    readonly examples: Readonly<Record<string, string>>
    /** The flags in addition to those of every command on texts. */
    readonly params: P
    /** The options of a run, which decide its results. */
    readonly optionsOf: (input: Value<P>) => Effect.Effect<Options, E, R>
    readonly send: (
      services: typeof Services,
      texts: Texts<FileUnusable | InvalidUsage>,
      options: Options
    ) => Stream.Stream<A, E2, LanguageService>
    readonly textOf: (result: A) => string
    /** Sends given texts with options that are not for records. */
    readonly alone?: (
      input: Value<P>,
      texts: ReturnType<typeof Input.textsOf>
    ) => Effect.Effect<Output.Results, E3, R3> | undefined
  }
) => {
  const withRecords = Effect.fnUntraced(function*(
    input: Value<P>,
    { files, texts }: Input.Sources,
    options: Records.Options,
    target: Output.Target
  ) {
    const sent = yield* optionsOf(input)
    const run = { about: { command: name, service: yield* service, ...sent }, files, texts, options, target }
    yield* call((services) => Records.run(run, (texts) => send(services, texts, sent), textOf))
  })
  const withTexts = Effect.fnUntraced(function*(input: Value<P>, sources: Input.Sources) {
    const sentAlone = alone(input, Input.textsOf(sources))
    if (sentAlone !== undefined) return yield* sentAlone
    const options = yield* optionsOf(input)
    const texts = yield* Input.textsOf(sources)
    return yield* call((services) => Records.collect(send(services, texts, options), textOf))
  })
  return described({ examples })(
    Command.make(
      name,
      { sources: Input.params, input: params, records: Records.params, target: Output.flags },
      Effect.fnUntraced(function*({ input, records, sources, target }) {
        if (Records.isOn(records)) return yield* withRecords(input, sources, records, target)
        if (records.resume || records.skip !== undefined) {
          return yield* misuse("--resume and --skip go with --lines or --null")
        }
        return yield* Output.deliver(target, withTexts(input, sources))
      })
    )
  )
}
