import { type Language, Languages } from "@effect-lingua/core/languages/Languages"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call } from "../client/client.ts"
import * as Output from "../files/output.ts"
import { misuseIf } from "../settings/errors.ts"
import { known, text, texts, toggle } from "../settings/flags.ts"
import { command } from "./command.ts"

const resources = [
  "translate_text",
  "translate_document",
  "glossary",
  "voice",
  "write",
  "style_rules",
  "translation_memory"
]

const features = ({ features = {} }: Language) =>
  Object.entries(features).map(([name, { status = "stable" }]) => status === "stable" ? name : `${name} (${status})`)
    .join(", ")

export const languages = command("languages", {
  examples: {
    "--fake": "The languages of text translation",
    "--fake --resource write --include beta": "The languages of rephrase",
    "--fake --resources": "The resources that have languages"
  },
  params: {
    resource: text("resource", "resource", `The use of the languages, ${known(resources)}; translate_text by default`),
    include: texts("include", "kind", `Kinds to list in addition to stable languages, ${known(["beta", "external"])}`),
    resources: toggle("resources", "List the resources instead, with the features that a pair of languages can have")
  },
  run: Effect.fnUntraced(function*({ include, resource, resources }) {
    if (!resources) {
      const options = { resource: resource ?? "translate_text", include: include.length === 0 ? undefined : include }
      const found = yield* call(Languages.use(({ list }) => Stream.runCollect(list(options))))
      return Output.rows(found, {
        CODE: "code",
        NAME: "name",
        SOURCE: "usableAsSource",
        TARGET: "usableAsTarget",
        STATUS: "status",
        FEATURES: features
      })
    }
    yield* misuseIf(resource !== undefined || include.length > 0, "--resources excludes --resource and --include")
    const found = yield* call(Languages.use(({ resources }) => resources))
    const rows = found.flatMap(({ features, name: resource }) =>
      (features.length === 0 ? [undefined] : features).map((feature) => ({ resource, feature }))
    )
    return Output.rows(rows, {
      RESOURCE: "resource",
      FEATURE: ({ feature }) => feature?.name,
      "NEEDED IN SOURCE": ({ feature }) => feature?.needsSourceSupport,
      "NEEDED IN TARGET": ({ feature }) => feature?.needsTargetSupport
    }, found)
  })
})
