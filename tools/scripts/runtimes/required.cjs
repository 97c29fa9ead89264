// A CommonJS project loads the modules with `require`.
const { Effect } = require("effect")
const { Writing } = require("@effect-lingua/core/texts/Writing")
const { FakeLanguageService } = require("@effect-lingua/testing/fake/FakeLanguageService")

const correct = Writing.use(({ correct }) => correct("teh letter"))
void Effect.runPromise(Effect.provide(correct, FakeLanguageService.layerServices())).then(({ text }) => process.stdout.write(text))
