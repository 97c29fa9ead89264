/** `style-rules instructions`. */
import type { CustomInstruction } from "@effect-lingua/core/style-rules/StyleRulesApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Sample from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import { table, tell } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { text } from "../../settings/flags.ts"

const styleId = Argument.String("style-id").pipe(Argument.withDescription("The id of a list of style rules"))

const instructionId = Argument.String("instruction-id").pipe(
  Argument.withDescription("The id of an instruction, as style-rules show gives it")
)

const source = text("source-language", "language", "The language of the texts that it is for")

const rows = (instructions: ReadonlyArray<CustomInstruction>): Output.Results => ({
  json: instructions,
  human: (style) =>
    table(
      style,
      ["ID", "SOURCE", "LABEL", "PROMPT"],
      instructions.map(({ id, label, prompt, sourceLanguage = "" }) => [id, sourceLanguage, label, prompt])
    )
})

const list = Command.make(
  "list",
  { styleId, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ StyleId, StyleRules }) =>
        Effect.map(
          StyleRules.use((styleRules) => styleRules.get({ styleId: StyleId.make(input.styleId) })),
          ({ customInstructions }) => rows(customInstructions ?? [])
        )
      )
    )
  })
).pipe(
  Command.withDescription("List the instructions of a list"),
  Command.withExamples([
    { command: `effect-lingua style-rules instructions list --fake ${Sample.styleId}`, description: "All of them" }
  ])
)

const show = Command.make(
  "show",
  { styleId, instructionId, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ InstructionId, StyleId, StyleRules }) =>
        Effect.map(
          StyleRules.use((styleRules) =>
            styleRules.getInstruction({
              styleId: StyleId.make(input.styleId),
              instructionId: InstructionId.make(input.instructionId)
            })
          ),
          (instruction) => rows([instruction])
        )
      )
    )
  })
).pipe(
  Command.withDescription("Show an instruction"),
  Command.withExamples([
    {
      command: `effect-lingua style-rules instructions show --fake ${Sample.styleId} ${Sample.instructionId}`,
      description: "One of them"
    }
  ])
)

const add = Command.make(
  "add",
  {
    styleId,
    label: Flag.String("label").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("What it is called, in at most 100 characters")
    ),
    prompt: Flag.String("prompt").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("What it says, in at most 300 characters")
    ),
    source,
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ StyleId, StyleRules }) =>
        Effect.map(
          StyleRules.use((styleRules) =>
            styleRules.addInstruction({
              styleId: StyleId.make(input.styleId),
              label: input.label,
              prompt: input.prompt,
              sourceLanguage: input.source
            })
          ),
          (instruction): Output.Results => ({ json: [instruction], human: ({ clean }) => clean(instruction.id) })
        )
      )
    )
  })
).pipe(
  Command.withDescription("Add an instruction at the end of a list; prints its id"),
  Command.withExamples([
    {
      command: `effect-lingua style-rules instructions add --fake ${Sample.styleId} --label Dashes ` +
        `--prompt "Use short dashes"`,
      description: "An instruction"
    }
  ])
)

const edit = Command.make(
  "edit",
  {
    styleId,
    instructionId,
    label: text("label", "text", "Another label, of at most 100 characters"),
    prompt: text("prompt", "text", "Another prompt, of at most 300 characters"),
    source,
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    if (input.label === undefined && input.prompt === undefined && input.source === undefined) {
      return yield* new InvalidUsage({ message: "nothing to change: give --label, --prompt or --source-language" })
    }
    yield* Output.deliver(
      input,
      call(({ InstructionId, StyleId, StyleRules }) =>
        Effect.gen(function*() {
          const styleRules = yield* StyleRules
          const ref = {
            styleId: StyleId.make(input.styleId),
            instructionId: InstructionId.make(input.instructionId)
          }
          // The service takes nothing less than all fields.
          const present = yield* styleRules.getInstruction(ref)
          const sourceLanguage = input.source ?? present.sourceLanguage
          if (sourceLanguage === undefined) {
            return yield* new InvalidUsage({
              message: "the instruction has no source language yet, which the service asks for: give --source-language"
            })
          }
          const { label = present.label, prompt = present.prompt } = input
          return rows([yield* styleRules.replaceInstruction({ ...ref, label, prompt, sourceLanguage })])
        })
      )
    )
  })
).pipe(
  Command.withDescription("Change an instruction in its place; what is not given stays"),
  Command.withExamples([
    {
      command: `effect-lingua style-rules instructions edit --fake ${Sample.styleId} ${Sample.instructionId} ` +
        `--prompt "Write EUR, not the sign"`,
      description: "Another prompt"
    }
  ])
)

const remove = Command.make(
  "remove",
  { styleId, instructionId, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    yield* Output.deliver(
      input,
      call(({ InstructionId, StyleId, StyleRules }) =>
        StyleRules.use((styleRules) =>
          styleRules.removeInstruction({
            styleId: StyleId.make(input.styleId),
            instructionId: InstructionId.make(input.instructionId)
          })
        ).pipe(
          Effect.as<Output.Results>({
            json: [{ styleId: input.styleId, instructionId: input.instructionId, removed: true }],
            human: () => ""
          })
        )
      )
    )
    yield* tell("removed", `the instruction ${input.instructionId} is removed`, {
      styleId: input.styleId,
      instructionId: input.instructionId
    })
  })
).pipe(
  Command.withDescription("Remove an instruction from a list"),
  Command.withExamples([
    {
      command: `effect-lingua style-rules instructions remove --fake ${Sample.styleId} ${Sample.instructionId}`,
      description: "An instruction"
    }
  ])
)

/** The instructions of a list. */
export const instructions = Command.make("instructions").pipe(
  Command.withDescription("The instructions of a list of style rules"),
  Command.withSubcommands([list, show, add, edit, remove])
)
