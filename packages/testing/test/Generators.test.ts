import { Detection } from "@effect-lingua/core/Detection"
import { Documents } from "@effect-lingua/core/Documents"
import { Languages } from "@effect-lingua/core/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { StyleRules } from "@effect-lingua/core/StyleRules"
import { Translation } from "@effect-lingua/core/Translation"
import { Writing } from "@effect-lingua/core/Writing"
import * as FakeLanguageService from "@effect-lingua/testing/FakeLanguageService"
import type { OperationName } from "@effect-lingua/testing/Fault"
import * as Generators from "@effect-lingua/testing/Generators"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Equal, Layer, Redacted, Schema } from "effect"
import { HttpApi } from "effect/http-api"

const layer = LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" }).pipe(
  Layer.provideMerge(FakeLanguageService.layer())
)

/** The call of each operation with a generated request. */
const calls: {
  readonly [Name in OperationName]: (
    request: Generators.Request<Name>
  ) => Effect.Effect<unknown, Generators.Failure<Name>, LanguageService.LanguageService>
} = {
  "Detection.detect": (request) => Detection.use((service) => service.detect(request)),
  "Documents.download": (request) => Documents.use((service) => service.download(request)),
  "Languages.glossaryPairs": () => Languages.use((service) => service.glossaryPairs()),
  "Languages.list": (request) => Languages.use((service) => service.list(request)),
  "Languages.listV2": (request) => Languages.use((service) => service.listV2(request)),
  "Languages.resources": () => Languages.use((service) => service.resources()),
  "StyleRules.addInstruction": (request) => StyleRules.use((service) => service.addInstruction(request)),
  "StyleRules.create": (request) => StyleRules.use((service) => service.create(request)),
  "StyleRules.get": (request) => StyleRules.use((service) => service.get(request)),
  "StyleRules.getInstruction": (request) => StyleRules.use((service) => service.getInstruction(request)),
  "StyleRules.list": (request) => StyleRules.use((service) => service.list(request)),
  "StyleRules.remove": (request) => StyleRules.use((service) => service.remove(request)),
  "StyleRules.removeInstruction": (request) => StyleRules.use((service) => service.removeInstruction(request)),
  "StyleRules.rename": (request) => StyleRules.use((service) => service.rename(request)),
  "StyleRules.replaceConfiguredRules": (request) =>
    StyleRules.use((service) => service.replaceConfiguredRules(request)),
  "StyleRules.replaceInstruction": (request) => StyleRules.use((service) => service.replaceInstruction(request)),
  "Translation.translate": (request) => Translation.use((service) => service.translate(request)),
  "Writing.correct": (request) => Writing.use((service) => service.correct(request)),
  "Writing.rephrase": (request) => Writing.use((service) => service.rephrase(request))
}

const tested = <Name extends OperationName>(name: Name) => {
  const call = calls[name]
  return {
    name,
    requests: (options: Arbitrary.CheckOptions) =>
      Arbitrary.checkEffect(Generators.request(name), (request) =>
        Effect.as(
          call(request).pipe(Effect.catchTags({
            NotFound: () => Effect.void,
            DocumentNotFound: () => Effect.void
          } as any)),
          true
        ), options)
  }
}
const operations = Object.keys(calls) as Array<OperationName>
describe("Generators", () => {
  for (const name of operations) {
    it.effect(`requests ${name}`, () =>
      Effect.gen(function*() {
        const result = yield* tested(name).requests({ runs: 3000, size: 30, seed: 7 })
        const failure = Arbitrary.formatCheckFailure(result)
        if (failure) assert.fail(failure)
      }).pipe(Effect.provide(layer)))
  }
})
