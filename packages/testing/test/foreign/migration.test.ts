import * as Core from "@effect-lingua/core"
import { NodeDocuments } from "@effect-lingua/node"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, it } from "@effect/vitest"
import { DeepLClient, Translator } from "deepl-node"
import { Effect, Stream } from "effect"
import { readFileSync } from "node:fs"

const guide = readFileSync(new URL("../../../../docs/migrating-from-deepl-node.md", import.meta.url), "utf8")

/** Methods that its types declare as private. */
const isPrivate = /^(?:constructor|internal[A-Z].*|append[A-Z].*|build[A-Z].*|constructUserAgentString)$/

it("the guide names each call of deepl-node", () => {
  const calls = [Translator, DeepLClient].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
  const absent = calls.filter((name) => !isPrivate.test(name) && !new RegExp(`\\b${name}\\b`).test(guide))
  assert.deepStrictEqual(absent, [])
})

const { Documents, Glossaries, Languages, Translation, Usage, Writing } = Core

/** The calls of the guide that are written with arguments. The compiler checks them. */
const calls = (
  {
    handle,
    content,
    fileName,
    glossaryId,
    dictionary,
    name,
    resource,
    source,
    sourceLanguage,
    target,
    targetLanguage,
    text,
    writingStyle
  }: {
    readonly handle: Core.Documents.DocumentRef
    readonly content: Uint8Array
    readonly fileName: string
    readonly glossaryId: Core.Ids.GlossaryId
    readonly dictionary: Core.Glossaries.DictionaryOptions
    readonly name: string
    readonly resource: "translate_text"
    readonly source: string
    readonly sourceLanguage: "en"
    readonly target: string
    readonly targetLanguage: "de"
    readonly text: string
    readonly writingStyle: "business"
  }
) => ({
  "Translation.translate(text, { sourceLanguage, targetLanguage, … })": Translation.use((_) =>
    _.translate(text, { sourceLanguage, targetLanguage })
  ),
  "Translation.translate({ text: […], … })": Translation.use((_) => _.translate({ text: [text], targetLanguage })),
  "Writing.rephrase(text, { targetLanguage, writingStyle })": Writing.use((_) =>
    _.rephrase(text, { targetLanguage, writingStyle })
  ),
  "Usage.get()": Usage.use((_) => _.get),
  "Languages.sources({ resource })": Languages.use((_) => _.sources({ resource })),
  "Languages.targets({ resource })": Languages.use((_) => _.targets({ resource })),
  "Languages.glossaryPairs()": Languages.use((_) => _.glossaryPairs),
  "NodeDocuments.translate({ source, target, targetLanguage })": NodeDocuments.use((_) =>
    _.translate({ source, target, targetLanguage })
  ),
  "Documents.upload({ fileName, content, targetLanguage })": Documents.use((_) =>
    _.upload({ fileName, content, targetLanguage })
  ),
  "Documents.status(handle)": Documents.use((_) => _.status(handle)),
  "Documents.wait(handle)": Documents.use((_) => _.wait(handle)),
  "Documents.download(handle)": Documents.use((_) => _.download(handle)),
  "Glossaries.merge({ glossaryId, name })": Glossaries.use((_) => _.merge({ glossaryId, name })),
  "Glossaries.merge({ glossaryId, dictionary })": Glossaries.use((_) => _.merge({ glossaryId, dictionary }))
})

it("the calls of the guide compile", () => {
  const table = guide.slice(guide.indexOf("## Calls"), guide.indexOf("## Errors"))
  const named = [...table.matchAll(/`([A-Z]\w+\.\w+\([^`]*\))`/g)].map(([, call]) => call)
  // No call is run: an effect is only its description.
  assert.deepStrictEqual(named, Object.keys(calls(Object.create(null))))
})

it.effect("the guide has the numbers of languages", () =>
  Effect.gen(function*() {
    const { listV2, sources, targets } = yield* Languages
    const count = {
      sources: (yield* sources({ resource: "translate_text" })).length,
      targets: (yield* targets({ resource: "translate_text" })).length
    }
    assert.include(guide, `${count.targets} targets and ${count.sources} sources`)
    assert.isBelow((yield* Stream.runCollect(listV2({ type: "target" }))).length, count.targets)
    const { detectedSourceLanguage } = yield* Translation.use((_) =>
      _.translate("Good morning", { targetLanguage: "de" })
    )
    assert.include(guide, `\`${detectedSourceLanguage}\` of a translation`)
  }).pipe(Effect.provide(FakeLanguageService.layerServices())))
