/** Translates the notice into several languages, writes the translations next to the original, and reports the used quota. */
import { Translation, Usage } from "@effect-lingua/core"
import { Console, Effect, FileSystem } from "effect"

const targetLanguages = ["de", "fr", "ja"] as const

export const program = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const { translateInto } = yield* Translation
  const text = [(yield* files.readFileString("notice.txt")).trimEnd()]
  // One request per language; a failed language does not stop the other languages.
  const translations = yield* translateInto({ text, targetLanguages, onError: "result" })
  for (const language of targetLanguages) {
    const translation = translations[language]
    if (translation._tag === "Failure") {
      yield* Console.error(`${language}: ${translation.failure.message}`)
    } else {
      yield* files.writeFileString(`notice.${language}.txt`, `${translation.success[0]?.text}\n`)
      yield* Console.log(`notice.${language}.txt: ${translation.success[0]?.text}`)
    }
  }
  const { characterCount, characterLimit } = yield* Usage.use((usage) => usage.get)
  yield* Console.log(`used ${characterCount} of ${characterLimit} characters`)
}).pipe(Effect.catchTag("QuotaExceeded", (error) => Console.error(error.message)))
