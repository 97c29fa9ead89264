// What every format has to do, over the fixtures of all: see support/formatFixtures.ts. `harmless.test.ts` of the command line runs over the
// same fixtures with wrong responses of the service.
import type * as Localization from "@effect-lingua/localization/Localization"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { threadCpuUsage } from "node:process"
import { isFull, scaled } from "../../../test/support/scale.ts"
import type { Entry, Format } from "../src/formats/Format.ts"
import { formatOf as formatIn } from "../src/formats/internal/table.ts"
import { type Kind, kinds, type Row, type Texts } from "./support/formatFixtures.ts"
import { textsOf as read } from "./support/formats.ts"
import { makeProject as projectOf, services } from "./support/projects.ts"

/** A project with a file of a format, in German and French. */
const makeProject = Effect.fnUntraced(function*({ file, print }: Kind, source: Texts, settings: object = {}) {
  const nameOf = (language: string) => file.replace("{language}", language)
  const { directory, open, read, sent, write } = yield* projectOf(
    { targets: ["de", "fr"], files: [file], ...settings },
    {
      [nameOf("en")]: print("en", source, source)
    }
  )
  return {
    open,
    pathOf: (language: string) => join(directory, nameOf(language)),
    read: (language: string) => read(nameOf(language)),
    sent: Effect.map(sent, (found) => found.flatMap((payload) => payload?.text ?? [])),
    write: (language: string, texts: Texts, of: Texts) => write(nameOf(language), print(language, of, texts))
  }
})

const formatOf = ({ file }: Kind) => Effect.map(formatIn(file), (format) => format ?? assert.fail(file))

/** A text, without the entities that those of XML have. */
const textIn = (found: ReadonlyMap<string, Entry>, id: string) => found.get(id)?.text.replaceAll("&amp;", "&")

const milliseconds = Effect.fnUntraced(function*<A, E, R>(run: Effect.Effect<A, E, R>) {
  const before = threadCpuUsage()
  yield* run
  const { system, user } = threadCpuUsage(before)
  return (user + system) / 1000
})

describe.each(kinds)("$name", (kind) => {
  const source: Texts = { title: "My page", hello: `Hello ${kind.placeholder}`, brand: "Git" }
  // The short run gives each test that does not depend on the format to one format.
  let tests = kinds.indexOf(kind)
  const test = (name: string, run: () => Effect.Effect<void, unknown>) =>
    it.effect.skipIf(tests++ % kinds.length > 0 && !isFull)(name, run)

  test("changes no byte and sends nothing in a second run", () =>
    Effect.gen(function*() {
      const { open, read, sent } = yield* makeProject(kind, source, { targets: ["de"] })
      yield* (yield* open()).run()
      const [before, requests] = [read("de"), (yield* sent).length]
      const opened = yield* open()
      assert.deepStrictEqual(opened.problems, [])
      assert.deepStrictEqual(opened.costs.map(({ texts }) => texts), [0])
      yield* opened.run()
      assert.deepStrictEqual([read("de"), (yield* sent).length], [before, requests])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("keeps what the source lacks, except for what a run wrote, and names it", () =>
    Effect.gen(function*() {
      const { open, pathOf, read, write } = yield* makeProject(kind, source, { targets: ["de"] })
      const format = yield* formatOf(kind)
      const byHand = { title: "Meine Seite", gone: "Weg" }
      write("de", byHand, { ...source, gone: "Gone" })
      const run = Effect.gen(function*() {
        const { costs, run, skipped } = yield* open()
        const { done } = yield* run()
        assert.deepStrictEqual(done.map(({ problems }) => problems), [[]])
        return [
          ...costs.map(({ removed }) => removed),
          ...done.map(({ removed }) => removed),
          ...skipped.flatMap(({ names, what }) => what === "extra" ? names : [])
        ]
      })
      const found = (of: Texts) =>
        Object.fromEntries(
          Object.entries(of).map(([key, text]) => [key, textIn(format.read(read("de"), "de"), kind.idOf(key, text))])
        )
      const gone = kind.idOf("gone", "Gone")
      assert.deepStrictEqual(yield* run, [0, 0, gone])
      const all = { ...source, gone: "Gone" }
      assert.deepStrictEqual(found(all), { ...byHand, hello: `[de] Hello ${kind.placeholder}`, brand: "[de] Git" })
      // The source drops a text by hand, a text of a run, and a text of a run that was edited.
      writeFileSync(pathOf("de"), read("de").replace("[de] Hello", "Hallo"))
      write("en", { more: "More" }, { more: "More" })
      const kept = [kind.idOf("title", "My page"), kind.idOf("hello", `Hello ${kind.placeholder}`), gone]
      const [planned, removed, ...named] = yield* run
      assert.deepStrictEqual([planned, removed, new Set(named)], [1, 1, new Set<number | string>(kept)])
      assert.deepStrictEqual(found({ ...all, more: "More" }), {
        ...byHand,
        hello: `Hallo ${kind.placeholder}`,
        brand: undefined,
        more: "[de] More"
      })
      const before = read("de")
      assert.deepStrictEqual((yield* run).slice(0, 2), [0, 0])
      assert.strictEqual(read("de"), before)
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect.each(Fault.Alteration.literals.filter((_, index) => isFull || (index + kinds.indexOf(kind)) % 8 === 0))(
    "writes no text that is %s by the service, and the right one later",
    (alteration) =>
      Effect.gen(function*() {
        const { reset, script, unplayed } = yield* FakeLanguageService
        const texts = { title: "My page", hello: `Hello ${kind.placeholder}, Tom & Tim` }
        const { open, pathOf, read } = yield* makeProject(kind, texts)
        const format = yield* formatOf(kind)
        const run = Effect.gen(function*() {
          const { done } = yield* (yield* open({ targets: ["de"] })).run()
          const found = existsSync(pathOf("de")) ? format.read(read("de"), "de") : new Map<string, Entry>()
          return { found, reported: done.flatMap(({ problems }) => problems.map(({ id }) => id)) }
        })
        yield* script({ operation: "Translation.translate", fault: Fault.altered(alteration), every: 1 })
        const spoiled = yield* run
        assert.deepStrictEqual(yield* unplayed, [])
        for (const [key, text] of Object.entries(texts)) {
          const id = kind.idOf(key, text)
          // What is in the element of a placeholder is kept next to it.
          const written = textIn(spoiled.found, id)?.replace(".", "")
          if (written !== `[de] ${text}`) {
            assert.include(spoiled.reported, id)
            assert.include([undefined, text], written)
          }
        }
        yield* reset
        const { found, reported } = yield* run
        assert.deepStrictEqual(reported, [])
        for (const [key, text] of Object.entries(texts)) {
          assert.strictEqual(textIn(found, kind.idOf(key, text))?.replace(".", ""), `[de] ${text}`)
        }
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  test("keeps an edit by hand, and translates it anew with force only", () =>
    Effect.gen(function*() {
      const { open, read, write } = yield* makeProject(kind, source)
      yield* (yield* open()).run()
      write("de", { ...source, title: "Meine Seite" }, source)
      yield* (yield* open()).run()
      assert.include(read("de"), "Meine Seite")
      yield* (yield* open({ force: true, targets: ["de"] })).run()
      assert.notInclude(read("de"), "Meine Seite")
    }).pipe(Effect.scoped, Effect.provide(services)))

  test("sends one text when one source has changed, and says where it is missing", () =>
    Effect.gen(function*() {
      const { open, read, sent, write } = yield* makeProject(kind, source)
      yield* (yield* open()).run()
      const before = (yield* sent).length
      const changed = { ...source, brand: "Gittern" }
      write("en", changed, changed)
      const opened = yield* open({ targets: ["de"] })
      const [problem, ...more] = opened.problems
      assert.deepStrictEqual(more, [])
      assert.strictEqual(problem?.id, kind.idOf("brand", "Gittern"))
      const file = read(existsSync(problem?.file ?? "") || problem?.state === "changed" ? "de" : "en")
      assert.match(file.split("\n")[(problem?.line ?? 0) - 1] ?? "", /Git/)
      yield* opened.run()
      assert.deepStrictEqual((yield* sent).slice(before), ["Gittern"])
      assert.include(read("de"), "[de] Gittern")
      assert.notInclude(read("fr"), "Gittern")
    }).pipe(Effect.scoped, Effect.provide(services)))

  test("keeps what is edited while it is translated, and loses no translation", () =>
    Effect.gen(function*() {
      const { open, read, sent, write } = yield* makeProject(kind, source)
      const opened = yield* open()
      const report = yield* opened.run({
        onProgress: ({ done, language }) =>
          Effect.sync(() => done === 0 && language === "de" && write("de", { title: "Meine Seite" }, source))
      })
      assert.deepStrictEqual(report.done.map(({ kept, translated }) => [translated, kept]), [[2, 1], [3, 0]])
      assert.include(read("de"), "Meine Seite")
      assert.include(read("de"), "[de] Git")
      assert.include(read("fr"), "[fr] Git")
      const before = (yield* sent).length
      assert.deepStrictEqual((yield* open()).problems, [])
      yield* (yield* open()).run()
      assert.strictEqual((yield* sent).length, before)
    }).pipe(Effect.scoped, Effect.provide(services)))

  test("writes the other languages if a file becomes unreadable while it is translated", () =>
    Effect.gen(function*() {
      const { open, pathOf, read, sent } = yield* makeProject(kind, source)
      const report = yield* (yield* open()).run({
        onProgress: ({ done, language }) =>
          Effect.sync(() => done === 0 && language === "de" && writeFileSync(pathOf("de"), Buffer.of(0xff)))
      })
      const [german, french] = report.done
      assert.deepStrictEqual([german?.translated, french?.translated], [0, 3])
      assert.deepStrictEqual(
        german?.problems.map(({ file, id, problem, state }) => [file, id, state, problem]),
        [[kind.file.replace("{language}", "de"), "", "unwritten", "it cannot be written: it is not text in UTF-8"]]
      )
      assert.deepStrictEqual(readFileSync(pathOf("de")), Buffer.of(0xff))
      assert.include(read("fr"), "[fr] Git")
      rmSync(pathOf("de"))
      const before = (yield* sent).length
      yield* (yield* open()).run()
      assert.strictEqual((yield* sent).length, before + 3)
    }).pipe(Effect.scoped, Effect.provide(services)))

  test("translates a text that is too large for a request in parts", () =>
    Effect.gen(function*() {
      const texts = { title: "A sentence of words. ".repeat(6500).trim(), brand: "Git" }
      const { open, read, sent } = yield* makeProject(kind, texts, { targets: ["de"] })
      const { done } = yield* (yield* open()).run()
      assert.deepStrictEqual(done.map(({ problems, translated }) => [translated, problems]), [[2, []]])
      assert.strictEqual(read("de").split("[de]").length - 1, 3)
      assert.strictEqual((yield* sent).length, 3)
    }).pipe(Effect.scoped, Effect.provide(services)))

  // A measurement of time.
  it.effect.skipIf(!isFull)("takes a time that grows with the number of texts only", () =>
    Effect.gen(function*() {
      const timeOf = Effect.fnUntraced(function*(count: number, allowed = 0) {
        const texts = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, `Text ${index}`]))
        const { open, write } = yield* makeProject(kind, texts, { targets: ["de"] })
        write("de", { ...texts, k0: "" }, texts)
        const first = yield* milliseconds(open())
        return first < allowed ? first : Math.min(first, yield* milliseconds(open()))
      })
      yield* timeOf(100)
      // Quadratic growth is a factor of 64.
      const allowed = Math.max(5, yield* timeOf(200)) * 8 * 4
      assert.isBelow(yield* timeOf(1600, allowed), allowed)
    }).pipe(Effect.scoped, Effect.provide(services)))
})

const runs = scaled(4, 100)

/** Whether a text is another with insertions only. */
const isInserted = (before: string, after: string): boolean => {
  let at = 0
  for (const character of after) if (before.startsWith(character, at)) at += character.length
  return at === before.length
}

describe.each(kinds)("a target of $name by other hands", (kind) => {
  /** Rows in an order of their own. One of them may be without a translation yet. */
  const opened = (texts: ReadonlyArray<string>, turn: number) => {
    const without = kind.without ?? /(?!)/g
    const rows = ["title", "hello", "brand", "end"].map((key, index): Row => ({
      key,
      source: `Text ${index}`,
      text: `${(texts[index] ?? "").replaceAll(/[^ -~é]/g, "").replaceAll(without, "")}x${index}`
    }))
    const order = turn % 2 === 0 ? rows : rows.toReversed()
    const cut = Math.abs(turn) % rows.length
    return { rows, order: [...order.slice(cut), ...order.slice(0, cut)] }
  }
  const printed = (source: ReadonlyArray<Row>, texts: ReadonlyArray<Row>, before: string, format: Format) => {
    const own = Object.fromEntries(source.map(({ key, source }) => [key, source]))
    const ids = new Set(source.map(({ key, source }) => kind.idOf(key, source)))
    return format.parse(kind.print("en", own, own), "en").print(
      "de",
      new Map(texts.map(({ key, source, text }) => [kind.idOf(key, source), text])),
      before,
      new Set([...format.read(before, "de").keys()].filter((id) => !ids.has(id)))
    )
  }
  const expected = (rows: ReadonlyArray<Row>) =>
    Object.fromEntries(rows.map(({ key, source, text }) => [kind.idOf(key, source), text]))
  const strings = Schema.Array(Schema.String)
  const loaded = formatOf(kind)

  it.effect.prop(
    "stays as it is, with the same texts",
    [strings, Schema.Int],
    ([texts, turn]) =>
      Effect.map(loaded, (format) => {
        const { order, rows } = opened(texts, turn)
        const before = kind.byHand(order)
        assert.deepStrictEqual(read(format, before), expected(rows))
        assert.strictEqual(printed(rows, rows, before, format), before)
        assert.strictEqual(printed(rows, [], before, format), before, "without any translation")
      }),
    { arbitrary: { runs } }
  )

  it.effect.prop(
    "changes in one line with one text",
    [strings, Schema.Int, Schema.Int],
    ([texts, turn, which]) =>
      Effect.map(loaded, (format) => {
        const { order, rows } = opened(texts, turn)
        const before = kind.byHand(order)
        const index = Math.abs(which) % rows.length
        const changed = rows.map((row, at) => at === index ? { ...row, text: `neu ${row.text}` } : row)
        const after = printed(rows, changed, before, format)
        assert.deepStrictEqual(read(format, after), expected(changed))
        const lines = before.split("\n")
        const differ = after.split("\n").flatMap((line, at) => line === lines[at] ? [] : [line])
        assert.strictEqual(after.split("\n").length, lines.length)
        assert.strictEqual(differ.length, 1, after)
      }),
    { arbitrary: { runs } }
  )

  it.effect.prop("gets a new text where the source has it, and loses what the source has not", [
    strings,
    Schema.Int,
    Schema.Int
  ], ([texts, turn, which]) =>
    Effect.map(loaded, (format) => {
      const { order, rows } = opened(texts, turn)
      const some = (all: ReadonlyArray<Row>) =>
        all.filter(({ key }) => key !== rows[Math.abs(which) % rows.length]?.key)
      const [less, more] = [kind.byHand(some(order)), kind.byHand(order)]
      const inserted = printed(rows, rows, less, format)
      assert.deepStrictEqual(read(format, inserted), expected(rows))
      assert.isTrue(isInserted(less, inserted), inserted)
      assert.notMatch(inserted.replaceAll("\r\n", ""), /\n/, "other line ends")
      const removed = printed(some(rows), some(rows), more, format)
      assert.deepStrictEqual(read(format, removed), expected(some(rows)))
      assert.strictEqual(removed, less)
      // Back again: the text is as the source spells it, and all others are as they were.
      assert.deepStrictEqual(read(format, printed(some(rows), some(rows), inserted, format)), expected(some(rows)))
    }), { arbitrary: { runs } })

  it.effect("is empty without texts, and fills itself again", () =>
    Effect.map(loaded, (format) => {
      const { order, rows } = opened([], 1)
      const empty = printed([], [], kind.byHand(order), format)
      assert.deepStrictEqual(read(format, empty), {})
      const filled = printed(rows, rows, empty, format)
      assert.deepStrictEqual(read(format, filled), expected(rows))
      assert.deepStrictEqual(Object.keys(read(format, filled)), Object.keys(expected(rows)), "order of the source")
    }))
})

describe("a project", () => {
  const [json = assert.fail("no format")] = kinds

  it.effect("reports progress, and translates only what is chosen", () =>
    Effect.gen(function*() {
      const { open, pathOf } = yield* makeProject(json, { title: "My page", brand: "Git" })
      const steps: Array<Localization.Progress> = []
      const opened = yield* open({ targets: ["fr"], only: ["./fr.json"] })
      yield* opened.run({ onProgress: (step) => Effect.sync(() => steps.push(step)) })
      const found = steps.map(({ done, file, total }) => `${file} ${done} of ${total}`)
      assert.deepStrictEqual(found, ["fr.json 0 of 2", "fr.json 1 of 2", "fr.json 2 of 2"])
      assert.isFalse(existsSync(pathOf("de")))
      const wrong = yield* Effect.flip(open({ targets: ["pl"] }))
      assert.include(wrong.message, "pl is not one of the project's targets: de, fr")
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("is refused before anything is sent if it has more characters than allowed", () =>
    Effect.gen(function*() {
      const { open, sent } = yield* makeProject(json, { title: "My page" }, { maxCharacters: 13 })
      const opened = yield* open()
      const refused = yield* Effect.flip(opened.run())
      assert.include(refused.message, "14 characters would be sent, and maxCharacters is 13")
      assert.deepStrictEqual(yield* sent, [])
      yield* opened.run({ maxCharacters: 14 })
      assert.strictEqual((yield* sent).length, 2)
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("keeps the lock of another run at the same time", () =>
    Effect.gen(function*() {
      const { open, write } = yield* makeProject(json, { title: "My page" })
      const runs = [yield* open({ targets: ["de"] }), yield* open({ targets: ["fr"] })]
      yield* Effect.forEach(runs, ({ run }) => run())
      write("en", { title: "Our page" }, {})
      assert.deepStrictEqual((yield* open()).problems.map(({ state }) => state), ["changed", "changed"])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("stops before it deletes a text that the source lacks, and goes on with one that is not a text any more", () =>
    Effect.gen(function*() {
      const [texts, settings] = [{ title: "My page", brand: "Git" }, { removed: "stop", targets: ["de"] }]
      const { open, pathOf, read, write } = yield* makeProject(json, texts, settings)
      yield* (yield* open()).run()
      const before = read("de")
      writeFileSync(pathOf("en"), `{ "title": 5, "brand": "Git" }`)
      const { costs, run, skipped } = yield* open()
      const { done } = yield* run()
      assert.deepStrictEqual([costs[0]?.removed, done[0]?.removed, read("de")], [0, 0, before])
      assert.deepStrictEqual(skipped.map(({ names, what }) => [what, names]), [["other", ["title"]]])
      write("en", { title: "My page" }, { title: "My page" })
      const stopped = yield* Effect.flip((yield* open()).run())
      assert.include(stopped.message, "de.json has texts that en.json does not have: brand")
      write("en", {}, {})
      const { message } = yield* Effect.flip((yield* open()).run())
      assert.include(message, "de.json has texts that en.json does not have: title, brand")
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("has a problem for a text that cannot be sent, and the other texts", () =>
    Effect.gen(function*() {
      const kind = { ...json, file: "{language}.arb", print: () => `{ "a": "A {", "b": "B {n}" }` }
      const { open, read } = yield* makeProject(kind, {}, { targets: ["de"] })
      const { done } = yield* (yield* open()).run()
      assert.deepStrictEqual(done.flatMap(({ problems }) => problems.map(({ id, problem }) => [id, problem])), [
        ["a", "it has an unclosed brace"]
      ])
      assert.strictEqual(JSON.parse(read("de")).b, "[de] B {n}")
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("names the reason if a file cannot be written", () =>
    Effect.gen(function*() {
      const { open, pathOf } = yield* makeProject(json, { title: "My page" })
      const { done } = yield* (yield* open({ targets: ["de"] })).run({
        onProgress: () => Effect.sync(() => rmSync(pathOf("en"), { force: true }))
      })
      assert.deepStrictEqual(done.flatMap(({ problems }) => problems.map(({ problem }) => problem)), [
        "it cannot be written: there is no such file or folder"
      ])
    }).pipe(Effect.scoped, Effect.provide(services)))

  it.effect("takes a format of the program", () =>
    Effect.gen(function*() {
      const entry = /^(\w+)=(.*)$/gm
      const entriesOf = (text: string) => [...text.matchAll(entry)].map(([, id = "", text = ""]) => ({ id, text }))
      const format: Format = {
        parse: (source) => ({
          placeholders: "brace",
          units: () => entriesOf(source),
          print: (_, texts, before = source) =>
            before.replace(entry, (line, id: string) => texts.has(id) ? `${id}=${texts.get(id)}` : line)
        }),
        read: (target) => new Map(entriesOf(target).map(({ id, text }) => [id, { text }]))
      }
      const kind = { ...json, file: "{language}.txt", print: () => "a=Hi {name}\n" }
      const { open, read } = yield* makeProject(kind, {}, { targets: ["de"] })
      assert.include((yield* Effect.flip(open())).message, "en.txt has no known format")
      yield* (yield* open({ formats: { txt: format } })).run()
      assert.strictEqual(read("de"), "a=[de] Hi {name}\n")
      // Its own errors are not taken for those of a file.
      const broken: Format = {
        ...format,
        parse: () => {
          throw new RangeError("Invalid array length")
        }
      }
      assert.isTrue(Exit.hasDies(yield* Effect.exit(open({ formats: { txt: broken } }))))
    }).pipe(Effect.scoped, Effect.provide(services)))
})
