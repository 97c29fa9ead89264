import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { isFull } from "../../../../../test/support/scale.ts"
import { inParts } from "../../../../../tools/scripts/ngrams.ts"
import { client, send } from "../../support/client.ts"

const samples: Readonly<Record<string, string>> = {
  en: "The weather was nice yesterday and we went for a long walk.",
  de: "Gestern war das Wetter schön und wir sind lange spazieren gegangen.",
  fr: "Hier il faisait beau et nous avons fait une longue promenade.",
  es: "Ayer hizo buen tiempo y dimos un largo paseo por la ciudad.",
  pt: "Ontem o tempo estava bom e fizemos uma longa caminhada.",
  it: "Ieri il tempo era bello e abbiamo fatto una lunga passeggiata.",
  nl: "Gisteren was het mooi weer en we hebben lang gewandeld.",
  pl: "Wczoraj była ładna pogoda i poszliśmy na długi spacer.",
  ru: "Вчера была хорошая погода, и мы долго гуляли.",
  zh: "昨天天气很好，我们散步了很久。",
  ja: "昨日は天気が良かったので、長い散歩をしました。",
  nb: "I går var det fint vær, og vi gikk en lang tur i skogen.",
  id: "Kemarin cuacanya bagus dan kami berjalan-jalan cukup lama.",
  uk: "Вчора була гарна погода, і ми довго гуляли.",
  ko: "어제는 날씨가 좋아서 오래 산책했습니다.",
  ar: "كان الطقس جميلا أمس وذهبنا في نزهة طويلة.",
  vi: "Hôm qua thời tiết đẹp và chúng tôi đã đi dạo rất lâu.",
  he: "אתמול היה מזג אוויר נעים ויצאנו לטיול ארוך.",
  th: "เมื่อวานอากาศดีและเราเดินเล่นกันนาน"
}

/** Words and names of one or two words. */
const short: Readonly<Record<string, ReadonlyArray<string>>> = {
  de: ["Protonenstrahl", "Guten Morgen", "Rechnung", "Fahrrad", "Bitte warten", "Frühstück", "Hans Müller", "Straße"],
  en: ["Hello", "Thank you", "Invoice", "Proton beam", "Save changes", "John Smith", "London", "Password"],
  fr: ["Bonjour", "Merci", "Paramètres", "Vélo", "Petit déjeuner", "Bonne nuit", "Jean Dupont", "Maison"],
  es: ["Gracias", "Buenos días", "Desayuno", "Tornillo", "Configuración", "Factura", "Juan Pérez", "Casa"],
  it: ["Grazie", "Buongiorno", "Impostazioni", "Bicicletta", "Colazione", "Ospedale", "Giovanni Rossi", "Acqua"],
  nl: ["Dank je", "Goedemorgen", "Fiets", "Ziekenhuis", "Instellingen", "Rekening", "Jan de Vries", "Huis"],
  pt: ["Obrigado", "Bom dia", "Configurações", "Parafuso", "Boa noite", "Não", "João Silva", "Senha"],
  pl: ["Dziękuję", "Dzień dobry", "Ustawienia", "Szpital", "Śniadanie", "Rower", "Jan Kowalski", "Samochód"]
}

describe("Detection", () => {
  it.effect("finds the languages of texts, in their order", () =>
    Effect.gen(function*() {
      const { results } = yield* (yield* client).Detection.detect({ payload: { text: Object.values(samples) } })
      assert.deepStrictEqual(
        results.map((result) => result._tag === "Detected" ? result.language : result.reason),
        Object.keys(samples)
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("has all four outcomes", () =>
    Effect.gen(function*() {
      const { results } = yield* (yield* client).Detection.detect({
        payload: { text: ["Das ist ein Haus.", "Hello", "Þetta er íslenska og ekkert annað.", "12345", ""] }
      })
      assert.deepStrictEqual(results, [
        { _tag: "Detected", language: "de" },
        { _tag: "Undetected", reason: "insufficient_confidence" },
        { _tag: "Undetected", reason: "unsupported_language" },
        { _tag: "Undetected", reason: "no_language_detected" },
        { _tag: "Undetected", reason: "no_language_detected" }
      ])
      const raw = yield* send("POST", "/v3/detect/language", { body: `{"text":["Das ist ein Haus.","1"]}` })
      assert.deepStrictEqual(raw.json, {
        results: [{ detection_status: "success", detected_language: "de" }, {
          detection_status: "no_language_detected"
        }]
      })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("takes very short texts for a common language unless another one is far more likely", () =>
    Effect.gen(function*() {
      const text = [
        "teh letter",
        "A sentence",
        "Guten Tag",
        "Merci beaucoup",
        "Tack så mycket",
        "Protonenstrahl",
        "obrigado"
      ]
      const { results } = yield* (yield* client).Detection.detect({ payload: { text } })
      assert.deepStrictEqual(
        results.map((result) => result._tag === "Detected" ? result.language : result.reason),
        ["en", "en", "de", "fr", "sv", "de", "pt"]
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("finds the source of most short words and names in common languages, and fails for none", () =>
    Effect.gen(function*() {
      const { Translation, Writing } = yield* client
      const wrong: Array<string> = []
      for (const [language, words] of Object.entries(short)) {
        const { translations } = yield* Translation.translate({ payload: { text: words, targetLanguage: "ja" } })
        for (const [index, { detectedSourceLanguage = "" }] of translations.entries()) {
          const found = detectedSourceLanguage.toLowerCase()
          if (found !== language) wrong.push(`${words[index]}: ${found}, not ${language}`)
        }
        yield* Writing.correct({ payload: { text: words } })
      }
      assert.isAtMost(wrong.length, 12, wrong.join("\n"))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("finds nothing but the languages that the specification lists", () =>
    Effect.gen(function*() {
      const listed =
        "en de fr es pt it nl pl ru zh ja bg cs da el et fi hu lt lv ro sk sl sv tr id uk ko nb ar vi he th"
      const others = [
        "Þetta er íslenska og ekkert annað.",
        "Это можно",
        "یہ اردو میں لکھا ہوا ایک جملہ ہے۔",
        "यह हिंदी में लिखा गया एक वाक्य है।"
      ]
      const { results } = yield* (yield* client).Detection.detect({
        payload: { text: [...Object.values(samples), ...others] }
      })
      for (const result of results) {
        if (result._tag === "Detected") assert.include(listed.split(" "), result.language)
      }
      assert.isTrue(results.some((result) => result._tag === "Undetected" && result.reason === "unsupported_language"))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect.skipIf(!isFull)(
    "has the n-grams that it is published with, and no others",
    () =>
      Effect.promise(async () => {
        const path = fileURLToPath(new URL("../ngrams/extrasmall.js", import.meta.resolve("eld/extrasmall")))
        const { ngramsData } = await import(path)
        const published = await import(`data:text/javascript,${encodeURIComponent(await inParts(path))}`)
        const { ngrams, ...others } = published.ngramsData
        assert.deepStrictEqual({ ...others, ngrams: ngramsData.ngrams }, ngramsData)
        const names = Object.keys(ngramsData.ngrams)
        assert.isAbove(names.length, 40_000)
        const wrong = names.filter((name) => JSON.stringify(ngrams[name]) !== JSON.stringify(ngramsData.ngrams[name]))
        assert.deepStrictEqual(wrong, [])
        for (const name of names.slice(0, 1000)) assert.strictEqual(ngrams[`${name}~`], ngramsData.ngrams[`${name}~`])
      })
  )
})
