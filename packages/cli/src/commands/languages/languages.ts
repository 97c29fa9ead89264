/** `languages`. */
import type { Language } from "@effect-lingua/core/languages/LanguagesApi"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Output from "../../files/output.ts"
import { table } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { known, optional, texts, toggle } from "../../settings/flags.ts"

const resources = [
  "translate_text",
  "translate_document",
  "glossary",
  "voice",
  "write",
  "style_rules",
  "translation_memory"
]

/** Formats a flag; an unknown one is empty. */
const yes = (is: boolean | undefined) => is === undefined ? "" : is ? "yes" : "no"

const features = ({ features = {} }: Language) =>
  Object.entries(features).map(([name, { status = "stable" }]) => status === "stable" ? name : `${name} (${status})`)
    .join(", ")

const listed = (languages: ReadonlyArray<Language>): Output.Results => ({
  json: languages,
  human: (style) =>
    table(
      style,
      ["CODE", "NAME", "SOURCE", "TARGET", "STATUS", "FEATURES"],
      languages.map((language) => [
        language.code,
        language.name,
        yes(language.usableAsSource),
        yes(language.usableAsTarget),
        language.status ?? "",
        features(language)
      ])
    )
})

/** Lists languages. */
export const languages = Command.make(
  "languages",
  {
    resource: optional(
      Flag.String("resource").pipe(Flag.withMetavar("resource")),
      `What the languages are for, ${known(resources)}; translate_text by default`
    ),
    include: texts("include", "kind", `What to list beside stable entries, ${known(["beta", "external"])}`),
    resources: toggle("resources", "List the resources instead, with the features that a pair of languages can have"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { include, resource = "translate_text" } = input
    if (!input.resources) {
      return yield* Output.deliver(
        input,
        call(({ Languages }) =>
          Effect.map(
            Languages.use((languages) =>
              languages.list({ resource, ...(include.length === 0 ? undefined : { include }) })
            ),
            listed
          )
        )
      )
    }
    if (input.resource !== undefined || include.length > 0) {
      return yield* new InvalidUsage({ message: "--resources lists all of them: leave out --resource and --include" })
    }
    yield* Output.deliver(
      input,
      call(({ Languages }) =>
        Effect.map(Languages.use((languages) => languages.resources()), (resources): Output.Results => ({
          json: resources,
          human: (style) =>
            table(
              style,
              ["RESOURCE", "FEATURE", "NEEDED IN SOURCE", "NEEDED IN TARGET"],
              resources.flatMap(({ features, name }) =>
                features.length === 0
                  ? [[name, "", "", ""]]
                  : features.map((feature) => [
                    name,
                    feature.name,
                    yes(feature.needsSourceSupport),
                    yes(feature.needsTargetSupport)
                  ])
              )
            )
        }))
      )
    )
  })
).pipe(
  Command.withDescription("List the languages of a resource with their features"),
  Command.withExamples([
    { command: `effect-lingua languages --fake`, description: "Those of text translation" },
    { command: `effect-lingua languages --fake --resource write --include beta`, description: "Those of rephrase" },
    { command: `effect-lingua languages --fake --resources`, description: "What there are languages for" }
  ])
)
