import { type Bulk, Placeholders } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema, Stream } from "effect"
import { usefulProperty } from "../../../../test/support/useful.ts"
import { textsOf, textsSent, Wire } from "../support/index.ts"

/** A placeholder of each syntax. */
const samples = { brace: "{name}", icu: "{n, number}", mustache: "{{name}}", printf: "%s" } as const

const syntaxes = ["brace", "icu", "mustache", "printf"] as const

const found: ReadonlyArray<
  readonly [syntax: Placeholders.Syntax, text: string, placeholders: ReadonlyArray<string>]
> = [
  ["icu", "Hello {name}!", ["{name}"]],
  ["icu", "{0} of { 1 }", ["{0}", "{ 1 }"]],
  ["icu", "{when, date, ::yMMMd} {n, number, #,##0.0'}'}", ["{when, date, ::yMMMd}", "{n, number, #,##0.0'}'}"]],
  ["icu", "It's {name}, that''s all", ["{name}"]],
  ["icu", "Write '{name}' for {name}", ["'{name}'", "{name}"]],
  ["icu", "A quote that '{never ends", ["'{never ends"]],
  ["icu", "'''{'{a}", ["'{'", "{a}"]],
  ["icu", "{plural} and {select, number}", ["{plural}", "{select, number}"]],
  ["mustache", "Hello {{name}}, {{{raw}}} and {{& other }}", ["{{name}}", "{{{raw}}}", "{{& other }}"]],
  ["mustache", "{{}} of {{name}}", ["{{}}", "{{name}}"]],
  ["mustache", "{{#many}}{{.}}, {{/many}}{single}", ["{{#many}}", "{{.}}", "{{/many}}"]],
  ["brace", "{name} has {0:.2f} of {:{width}}, {{all}}", ["{name}", "{0:.2f}", "{:{width}}", "{{", "}}"]],
  ["printf", "%s has %d of %5.2f%%", ["%s", "%d", "%5.2f", "%%"]],
  ["printf", "%1$s %2$@ %@ %lld %zu %-10s %*d", ["%1$s", "%2$@", "%@", "%lld", "%zu", "%-10s", "%*d"]],
  ["printf", "%(name)s and %(count)d", ["%(name)s", "%(count)d"]],
  ["printf", "%(user.name)s, %(first name)r", ["%(user.name)s", "%(first name)r"]],
  ["printf", "%{name} has %<count>d, 100%{", ["%{name}", "%<count>d"]],
  ["printf", "%#@files@ in %2$#@folders@", ["%#@files@", "%2$#@folders@"]],
  ["printf", "%1$*2$d and %1$.*2$f", ["%1$*2$d", "%1$.*2$f"]],
  ["printf", "100% discount, 5 % more", []]
]

const unkept: ReadonlyArray<readonly [text: string, what: string]> = [
  ["You have {n, plural, one {# letter} other {# letters}}", "an argument of type plural"],
  ["{n,selectordinal, other {#th}}", "an argument of type selectordinal"],
  ["{who, select, other {They}}", "an argument of type select"],
  ["{n, choice, 0#none|1#one}", "an argument of type choice"],
  ["Hello {name", "an unclosed brace"],
  ["Hello {{name}}", "a brace within braces"]
]

const protectedOf = (text: string, syntax: Placeholders.Syntax, empty?: boolean) =>
  Result.getOrThrow(Placeholders.protect(text, syntax, empty))

/** What is found in a translation of a text without placeholders. */
const added = (text: string, syntax: Placeholders.Syntax) => Placeholders.restore(protectedOf("Good day", syntax), text)

/** A service that changes the XML of some texts, in requests by their number, and translates nothing. */
const service = (...changes: ReadonlyArray<(xml: string) => string>): Wire.Script =>
  changes.map((change): Wire.Reply => (request, sent) => {
    const translations = textsOf(sent.body).map((text) => ({
      text: change(text),
      detected_source_language: "EN",
      billed_characters: 10
    }))
    return Wire.answer(200, { translations })(request, sent)
  })

const same = (xml: string) => xml

const translate = (text: ReadonlyArray<string>, placeholders: Placeholders.Syntax) =>
  Placeholders.translate({ text, targetLanguage: "de", placeholders })

/** Texts in which placeholders of each kind are likely. */
const Text = Schema.Array(
  Schema.Union([
    Schema.String,
    Schema.Literals([
      ...Array.from("{}'<>&;%#\"/\r\n\t\0 "),
      "{name}",
      "{n, number}",
      "''",
      "'{'",
      "{{name}}",
      "{{#a}}",
      "%s",
      "%1$d",
      "%%",
      "<x id=\"0\">",
      "</x>",
      "&amp;",
      "&#38;",
      "\ufffe"
    ])
  ])
).pipe(Schema.check(Schema.isMaxLength(12)))

describe("Placeholders", () => {
  it.each(found)("%s finds in %j %j", (syntax, text, placeholders) => {
    assert.deepStrictEqual(protectedOf(text, syntax).placeholders.map(({ text }) => text), placeholders)
  })

  it.each(unkept)("icu does not keep %j: %s", (text, what) => {
    const refused = Placeholders.protect(text, "icu")
    assert.include(Result.isFailure(refused) ? refused.failure.what : "", what)
  })

  it("go out as elements in XML, with what they stand for or without", () => {
    const text = "R&D <has> {count, number}\r\n"
    assert.strictEqual(protectedOf(text, "icu").text, "R&amp;D &lt;has&gt; <x id=\"0\">{count, number}</x>&#13;\n")
    assert.strictEqual(protectedOf(text, "icu", true).text, "R&amp;D &lt;has&gt; <x id=\"0\"></x>&#13;\n")
  })

  for (const syntax of syntaxes) {
    usefulProperty(
      `any text of ${syntax} goes out as well-formed XML and comes back as it was`,
      Arbitrary.schema(Schema.Tuple([Text, Schema.Boolean])),
      ([parts, empty]) =>
        Effect.sync(() => {
          const text = parts.join("")
          const found = Placeholders.protect(text, syntax, empty)
          if (Result.isFailure(found)) {
            assert.strictEqual(syntax, "icu")
            return false
          }
          const xml = found.success.text
          // oxlint-disable-next-line no-control-regex -- control characters are what is meant
          assert.notMatch(xml, /[\u0000-\u0008\u000b\u000c\r\u000e-\u001f\ufffe\uffff]/)
          const outside = xml.replace(/<x id="\d+">[^<>]*<\/x>/g, "")
          assert.notMatch(outside, /[<>]|&(?!(amp|lt|gt|#13);)/)
          assert.deepStrictEqual(Placeholders.restore(found.success, xml), Result.succeed(text))
          return true
        }),
      300
    )

    usefulProperty(
      `a placeholder of ${syntax} that is lost or repeated is found`,
      Arbitrary.schema(Schema.Tuple([Text, Schema.Int])),
      ([parts, number]) =>
        Effect.sync(() => {
          const found = Placeholders.protect([samples[syntax], ...parts].join(""), syntax)
          if (Result.isFailure(found) || found.success.placeholders.length === 0) return false
          const { placeholders, text: xml } = found.success
          const id = Math.abs(number) % placeholders.length
          const element = new RegExp(`<x id="${id}">[^<]*</x>`)
          const placeholder = placeholders[id]?.text ?? ""
          assert.deepStrictEqual(
            Placeholders.restore(found.success, xml.replace(element, "")),
            Result.fail({ placeholder, change: "lost" })
          )
          assert.deepStrictEqual(
            Placeholders.restore(found.success, xml.replace(element, "$& $&")),
            Result.fail({ placeholder, change: "repeated" })
          )
          return true
        }),
      300
    )
  }

  it("may change their places where they have names", () => {
    const text = protectedOf("{a} before {b}", "icu")
    const moved = "<x id=\"1\"/> nach <x id='0' >{a}</x>"
    assert.deepStrictEqual(Placeholders.restore(text, moved), Result.succeed("{b} nach {a}"))
  })

  it("do not change their places where the place is all they have", () => {
    const text = protectedOf("%s before %2$s and %d", "printf")
    const moved = "<x id=\"2\">%d</x> <x id=\"1\">%2$s</x> nach <x id=\"0\">%s</x>"
    assert.deepStrictEqual(Placeholders.restore(text, moved), Result.fail({ placeholder: "%s", change: "moved" }))
    const fine = "<x id=\"1\">%2$s</x> <x id=\"0\">%s</x> nach <x id=\"2\">%d</x>"
    assert.deepStrictEqual(Placeholders.restore(text, fine), Result.succeed("%2$s %s nach %d"))
  })

  it("of Python without a name stay in their order", () => {
    const text = protectedOf("{} {name} {!r}", "brace")
    assert.deepStrictEqual(text.placeholders.map(({ inOrder }) => inOrder), [true, false, true])
  })

  it("of mustache stay in their sections", () => {
    const text = protectedOf("{{a}} {{#b}}{{c}}{{else}}{{d}}{{/b}}", "mustache")
    const translated = (order: ReadonlyArray<number>) =>
      Placeholders.restore(text, order.map((id) => `<x id="${id}"></x>`).join(""))
    assert.deepStrictEqual(translated([1, 2, 3, 4, 5, 0]), Result.succeed("{{#b}}{{c}}{{else}}{{d}}{{/b}}{{a}}"))
    const moved: ReadonlyArray<readonly [order: ReadonlyArray<number>, placeholder: string]> = [
      [[1, 0, 2, 3, 4, 5], "{{a}}"],
      [[0, 2, 1, 3, 4, 5], "{{c}}"],
      [[0, 1, 3, 2, 4, 5], "{{c}}"],
      [[0, 1, 2, 3, 5, 4], "{{d}}"],
      [[0, 3, 1, 2, 4, 5], "{{#b}}"]
    ]
    for (const [order, placeholder] of moved) {
      assert.deepStrictEqual(translated(order), Result.fail({ placeholder, change: "moved" }))
    }
    assert.strictEqual(protectedOf("{{~#a}}{{~/a}}", "mustache").placeholders.every(({ inOrder }) => inOrder), true)
  })

  it("that were not there are found", () => {
    assert.deepStrictEqual(added("100%ig {gut}", "printf"), Result.fail({ placeholder: "%i", change: "added" }))
    assert.deepStrictEqual(added("Guten {Tag}", "icu"), Result.fail({ placeholder: "{Tag}", change: "added" }))
    assert.deepStrictEqual(added("Guten {Tag", "icu"), Result.fail({ placeholder: "{", change: "added" }))
    assert.deepStrictEqual(
      added("Guten <x id=\"3\"/>", "icu"),
      Result.fail({ placeholder: "<x id=\"3\">", change: "added" })
    )
  })

  it("lose no characters that the service moves into their elements", () => {
    const text = protectedOf("of {name}", "icu")
    const restored = (element: string) => Placeholders.restore(text, `von ${element}`)
    assert.deepStrictEqual(restored(`<x id="0">{name}s</x>`), Result.succeed("von {name}s"))
    assert.deepStrictEqual(restored(`<x id="0">d&apos;{name} &amp; Co</x>`), Result.succeed("von d''{name} & Co"))
    for (const content of ["{Name}", "Herrn", " "]) {
      assert.deepStrictEqual(
        restored(`<x id="0">${content}</x>`),
        Result.fail({ placeholder: "{name}", change: "lost" }),
        content
      )
    }
  })

  it("stand among references to characters, of which those that do not exist stay as they are", () => {
    assert.deepStrictEqual(added("&#65;&#x10ffff;&#x110000;", "icu"), Result.succeed("A\u{10ffff}&#x110000;"))
  })

  it("stand among references by name, of which those that XML does not have stay as they are", () => {
    assert.deepStrictEqual(
      added("&gt;&constructor;&toString;&__proto__;", "icu"),
      Result.succeed(">&constructor;&toString;&__proto__;")
    )
  })

  it("of ICU are no quoted text behind an apostrophe of the translation", () => {
    const text = protectedOf("of {name}", "icu")
    assert.deepStrictEqual(Placeholders.restore(text, "d&apos;<x id=\"0\">{name}</x>"), Result.succeed("d''{name}"))
    const beside = protectedOf("'{'{name}", "icu")
    assert.deepStrictEqual(Placeholders.restore(beside, beside.text), Result.succeed("'{'{name}"))
  })

  it.effect("are kept by a translation with what the service has for it", () =>
    Effect.gen(function*() {
      const translations = yield* Placeholders.translate({
        text: ["Hello {name} & co", "Good day"],
        targetLanguage: "de",
        formality: "more",
        placeholders: "icu"
      })
      assert.deepStrictEqual(translations.map(({ text }) => text), ["Hello {name} & co", "Good day"])
      assert.deepStrictEqual((yield* Wire.sent).map(({ body }) => JSON.parse(body)), [{
        text: ["Hello <x id=\"0\">{name}</x> &amp; co", "Good day"],
        target_lang: "de",
        formality: "more",
        tag_handling: "xml",
        outline_detection: false,
        ignore_tags: ["x"]
      }])
    }).pipe(Effect.provide(Wire.layer(service(same)))))

  it.effect("only texts whose placeholders changed are sent again, once, and what both cost is told", () =>
    Effect.gen(function*() {
      const translations = yield* translate(["a {a}", "b {b}", "c"], "icu")
      assert.deepStrictEqual(translations.map(({ billedCharacters, text }) => [text, billedCharacters]), [
        ["a {a}", 10],
        ["b {b}", 20],
        ["c", 10]
      ])
      assert.deepStrictEqual(yield* textsSent, [
        ["a <x id=\"0\">{a}</x>", "b <x id=\"0\">{b}</x>", "c"],
        ["b <x id=\"0\"></x>"]
      ])
    }).pipe(Effect.provide(Wire.layer(service((xml) => xml.startsWith("b") ? "b" : xml, same)))))

  it.effect("that change again fail with the text and the placeholder", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(translate(["a", "%s of %s"], "printf"))
      assert.deepInclude<object>(error, {
        _tag: "PlaceholderChanged",
        operation: "Placeholders.translate",
        texts: { first: 1, last: 1 },
        placeholder: "%s",
        change: "lost"
      })
      assert.include(error.message, "in the translation the placeholder \"%s\" is lost. It is about text 1.")
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(service(...[0, 1].map(() => (xml: string) => xml.slice(0, 2)))))))

  it.effect("that are long are not in a message as a whole", () =>
    Effect.gen(function*() {
      const comment = `{{! ${"secret ".repeat(100)}}}`
      const error = yield* Effect.flip(translate([comment], "mustache"))
      assert.deepInclude<object>(error, { _tag: "PlaceholderChanged", placeholder: comment, change: "lost" })
      assert.isBelow(error.message.length, 300)
    }).pipe(Effect.provide(Wire.layer(service(...[0, 1].map(() => () => ""))))))

  it.effect("that change do not lose the other texts where results are asked for", () =>
    Effect.gen(function*() {
      const results = yield* Placeholders.translate({
        text: ["a", "{{b}}"],
        targetLanguage: "de",
        placeholders: "mustache",
        onError: "result"
      })
      assert.deepStrictEqual(
        results.map(Result.match({ onFailure: ({ change }): string => change, onSuccess: ({ text }) => text })),
        ["a", "lost"]
      )
    }).pipe(
      // The second request is refused.
      Effect.provide(Wire.layer([...[service((xml) => xml.slice(0, 1))].flat(), Wire.answer(456)]))
    ))

  it.effect("that cannot be kept are refused with their place, and nothing is sent", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(translate(["a", "b {n, plural, other {c}}"], "icu"))
      assert.deepInclude<object>(error, {
        _tag: "InvalidInput",
        operation: "Placeholders.translate",
        parameter: "text[1]",
        given: "an argument of type plural, which contains texts, at character 2"
      })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))
})

const translateAll = (texts: Bulk.Texts) =>
  Placeholders.translateAll(texts, { targetLanguage: "de", placeholders: "icu" })

describe("placeholders of any number of texts", () => {
  it.effect("are kept, in requests of 50 texts", () =>
    Effect.gen(function*() {
      const texts = Array.from({ length: 60 }, (_, index) => `Hello {name${index}}`)
      const translated = yield* Stream.runCollect(translateAll(Stream.fromIterable(texts)))
      assert.deepStrictEqual(translated.map(({ text }) => text), texts)
      assert.deepStrictEqual((yield* textsSent).map(({ length }) => length), [50, 10])
    }).pipe(Effect.provide(Wire.layer(service(same, same)))))

  it.effect("that changed are sent again alone, and what both cost is told", () =>
    Effect.gen(function*() {
      const translated = yield* Stream.runCollect(translateAll(["a {a}", "b {b}", "c"]))
      assert.deepStrictEqual(translated.map(({ billedCharacters, text }) => [text, billedCharacters]), [
        ["a {a}", 10],
        ["b {b}", 20],
        ["c", 10]
      ])
      assert.deepStrictEqual((yield* textsSent)[1], ["b <x id=\"0\"></x>"])
    }).pipe(Effect.provide(Wire.layer(service((xml) => xml.startsWith("b") ? "b" : xml, same)))))

  it.effect("that changed again fail after the results before them, with their position", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const run = translateAll(["a", "b {b}", "c"]).pipe(
        Stream.runForEach(({ text }) => Effect.sync(() => seen.push(text)))
      )
      const error = yield* Effect.flip(run)
      assert.deepStrictEqual(seen, ["a"])
      assert.deepInclude<object>(error, {
        _tag: "PlaceholderChanged",
        operation: "Placeholders.translateAll",
        texts: { first: 1, last: 1 },
        change: "lost"
      })
    }).pipe(Effect.provide(Wire.layer(service((xml) => xml.slice(0, 1), (xml) => xml.slice(0, 1))))))

  it.effect("have a result each where results are asked for", () =>
    Effect.gen(function*() {
      const results = yield* Stream.runCollect(
        Placeholders.translateAll(["a", "b {b}", "c"], { targetLanguage: "de", placeholders: "icu", onError: "result" })
      )
      assert.deepStrictEqual(
        results.map(Result.match({ onFailure: ({ _tag }): string => _tag, onSuccess: ({ text }) => text })),
        ["a", "PlaceholderChanged", "c"]
      )
    }).pipe(Effect.provide(Wire.layer([...[service((xml) => xml.slice(0, 1))].flat(), Wire.answer(456)]))))

  it.effect("that cannot be kept end the run with their place", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Stream.runDrain(translateAll(["a", "b {n, plural, other {c}}"])))
      assert.deepInclude<object>(error, {
        _tag: "InvalidInput",
        operation: "Placeholders.translateAll",
        parameter: "text[1]"
      })
    }).pipe(Effect.provide(Wire.layer(service(same)))))

  it.effect("are those of its own text in each run of a stream, also after one that failed", () =>
    Effect.gen(function*() {
      const run = translateAll(["a {a}", "b {b}", "c {c}"])
      yield* Effect.flip(Stream.runDrain(run))
      const translated = yield* Stream.runCollect(run)
      assert.deepStrictEqual(translated.map(({ text }) => text), ["a {a}", "b {b}", "c {c}"])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(403), ...[service(same)].flat()]))))

  it.effect("of a text that is none are an error, not a defect", () =>
    Effect.gen(function*() {
      const texts: ReadonlyArray<string> = JSON.parse("[\"a\", null]")
      const error = yield* Effect.flip(Stream.runDrain(translateAll(texts)))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "text[1]", given: "null" })
    }).pipe(Effect.provide(Wire.layer(service(same)))))

  it.effect("of a syntax that is none are an error, not a defect", () =>
    Effect.gen(function*() {
      for (const given of ["toString", "braces", undefined]) {
        const options: Placeholders.PlaceholderOptions = JSON.parse(
          JSON.stringify({ text: ["a"], targetLanguage: "de", placeholders: given })
        )
        const error = yield* Effect.flip(Placeholders.translate(options))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "placeholders" })
        assert.include(error.message, "one of brace, icu, mustache, printf")
      }
    }).pipe(Effect.provide(Wire.layer(service(same)))))
})
