import * as Conformance from "@effect-lingua/conformance"
import * as Core from "@effect-lingua/core"
import * as Node from "@effect-lingua/node"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Testing from "@effect-lingua/testing"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer, Predicate, Redacted } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { categories } from "../packages/core/src/errors/internal/categories.ts"
import { generated } from "../tools/scripts/openapi.ts"

interface Alert {
  readonly alert: string
  readonly annotations: { readonly runbook_url: string }
}

const pages = globSync(["README.md", "docs/**/*.md", "{packages,extensions}/*/README.md"])
const read = (file: string) => readFileSync(file, "utf8")
const flat = (file: string) => read(file).replaceAll(/\s+/g, " ")

const modules: Record<string, unknown> = { ...Core, ...Node, ...Testing, ...Conformance }
const sources = Object.fromEntries(
  globSync("{packages,extensions}/*/src/**/[A-Z]*.ts").map((file) => [basename(file, ".ts"), read(file)])
)

/** The names that a page may put behind the name of a module: its exports, types included, and the members of its services. */
const membersOf = Effect.map(Effect.context(), ({ mapUnsafe }) => {
  const services = new Map([...mapUnsafe].map(([key, service]) => [key.split("/").at(-1), service]))
  return (module: string, member: string) =>
    Predicate.hasProperty(modules[module], member) ||
    Predicate.hasProperty(services.get(module), member) ||
    (Predicate.hasProperty(modules[module], module) && Predicate.hasProperty(modules[module][module], member)) ||
    new RegExp(`\\b(?:type|interface|class|readonly|static) ${member}\\b`).test(sources[module] ?? "")
})

it.effect("the pages name only what the modules have", () =>
  Effect.gen(function*() {
    const isMember = yield* membersOf
    const names = pages.flatMap((page) =>
      read(page).replaceAll(/^ *```[^]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, "")).split("\n").flatMap(
        (line, index) =>
          [...line.matchAll(/`[^`]+`/g)].flatMap(([code]) =>
            [...code.matchAll(/(?<![\w./@])([A-Z]\w+)\.([A-Za-z]\w*)/g)].flatMap(([name, module = "", member = ""]) =>
              module in modules && !["ts", "md", "json"].includes(member)
                ? [{ at: `${page}:${index + 1}`, name, is: isMember(module, member) }]
                : []
            )
          )
      )
    )
    assert.isAbove(names.length, 100)
    assert.deepStrictEqual(names.filter(({ is }) => !is), [])
  }).pipe(Effect.provide(Layer.mergeAll(
    Layer.provideMerge(
      Core.OtherServices.layer,
      NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" })
    ),
    Testing.FakeLanguageService.layer()
  ))))

it("the runbook has each alert and each category of errors, and names metrics and panels that exist", () => {
  const runbook = read("docs/runbook.md")
  const alerts: { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Alert> }> } = JSON.parse(
    read("packages/node/observability/alerts.json")
  )
  for (const { alert, annotations } of alerts.groups.flatMap(({ rules }) => rules)) {
    assert.include(runbook, `\n## ${alert}\n`)
    assert.match(annotations.runbook_url, new RegExp(`/docs/runbook\\.md#${alert.toLowerCase()}$`))
  }
  const named = Array.from(runbook.matchAll(/^\| `(\w+)` +\|/gm), ([, category]) => category)
  assert.sameMembers(named, Object.keys(categories))
  const metrics = new Set(
    Array.from(
      read("docs/observability.md").matchAll(/^\| `([a-z_.]+)` \| (?:histogram|counter|gauge)/gm),
      ([, name = ""]) => Core.Metrics.prometheusName(name).replaceAll(".", "_")
    )
  )
  for (const [name] of runbook.matchAll(/(?:language_service|http)_client_[a-z_]+/g)) {
    assert.isTrue(metrics.has(name) || metrics.has(name.replace(/_(?:count|sum|bucket)$/, "")), name)
  }
  const panels: ReadonlyArray<{ readonly title: string }> =
    JSON.parse(read("packages/node/observability/dashboard.json")).panels
  const titles = Array.from(runbook.matchAll(/panel\s+"([^"]+)"/g), ([, title = ""]) => title)
  assert.isAbove(titles.length, 0)
  for (const title of titles) assert.include(panels.map((panel) => panel.title), title)
})

// The pages of packages are read on npm.
it("each page with an install line says in words that the packages are not on npm yet", () => {
  const packages = /(?:npm install|npx|bun add) (?:--?\S+ )*@effect-lingua\//
  const silent = pages.filter((page) =>
    !/^(?:packages|extensions)\//.test(page) && packages.test(read(page)) && !flat(page).includes("not on npm yet")
  )
  assert.deepStrictEqual(silent, [])
})

it("the examples import each package by its name, except modules that need an optional peer", () => {
  const paths = globSync([...pages, "{packages,extensions}/*/src/**/*.ts", "examples/*/src/**/*.ts"]).flatMap((file) =>
    Array.from(
      read(file).matchAll(/^( *\* )?(?:import|\}) [^"\n]*from "@effect-lingua\/\w+\/(.+)"/gm),
      ([line, comment, module = ""]) =>
        (comment === undefined && /^(?:packages|extensions)\/.*ts$/.test(file))
          || /^(?:promise|Vitest|CommandLine|FakeVoice|VoiceChecks|VoiceGenerators)$/.test(module)
          ? []
          : [`${file}: ${line}`]
    ).flat()
  )
  assert.deepStrictEqual(paths, [])
})

it("each mark of a page names a test or a program that exists", () => {
  const marks = [...pages, ".github/SECURITY.md"].flatMap((page) =>
    Array.from(
      read(page).matchAll(/^<!-- shown by (.+?)(?:: (.+))? -->$/gm),
      ([, file = "", title]) => ({ file, title })
    )
  )
  assert.isAbove(marks.length, 30)
  const isShown = ({ file, title }: (typeof marks)[number]) =>
    file === "the specification" ||
    (existsSync(file) &&
      (title === undefined || [JSON.stringify(title), `\`${title}\``].some((name) => read(file).includes(name))))
  assert.deepStrictEqual(marks.filter((mark) => !isShown(mark)), [])
})

/** Flags by the commands that have them, from the reference. */
const [globals = "", reference = ""] = read("docs/cli-reference.md").split("\n## Commands\n")
const commands = new Map(
  Array.from(
    reference.matchAll(/^\| `([a-z][a-z -]*?)(?: [[<][^`]*)?` \|.*\| (?:`(.*)`)? ?\|$/gm),
    ([, command = "", flags = ""]) => [command, new Set([...flags.split(" "), "--output", "--overwrite"])]
  )
)
const everywhere = new Set(Array.from(globals.matchAll(/^\| `(--[\w-]+)` \|/gm), ([, flag]) => flag))

it("the pages name only commands, flags and variables that the command line has", () => {
  const lines = pages.flatMap((page) => read(page).match(/(?:^ {4}.*?|`)effect-lingua [^`|\n]+/gm) ?? [])
  assert.isAbove(lines.length, 30)
  const wrong = lines.filter((line) => {
    const [, ...words] = line.slice(line.indexOf("effect-lingua ")).split(/ +/)
    const names = words.slice(0, Math.max(0, words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))) || words.length)
    const command = names.map((_, index) => names.slice(0, names.length - index).join(" ")).find((name) =>
      commands.has(name)
    )
    const flags = words.filter((word) => /^--[a-z-]+$/.test(word))
    return (command === undefined && /^[a-z]/.test(words[0] ?? "")) ||
      flags.some((flag) => !everywhere.has(flag) && commands.get(command ?? "")?.has(flag) !== true)
  })
  assert.deepStrictEqual(wrong, [])
  const sources = globSync(["{packages,extensions}/*/src/**/*.ts", "examples/*/{src,load}/*.ts"]).map(read).join("")
  const variables = pages.flatMap((page) =>
    read(page).match(/\b(?:LANGUAGE_SERVICE|CONFORMANCE)_[A-Z_]*[A-Z]\b/g) ?? []
  )
  assert.isAbove(variables.length, 50)
  assert.deepStrictEqual([...new Set(variables)].filter((name) => !sources.includes(name.replace(/_FILE$/, ""))), [])
})

it("each example of a page or a doc comment is compiled, and each value in it is an assertion", () => {
  const fences = [...pages, ...globSync("{packages,extensions}/*/src/**/*.ts")].flatMap((file) =>
    read(file).match(/^[ *]*```ts.*$/gm) ?? []
  )
  const files = globSync("{.,packages/*,extensions/*}/test/doctest/*.ts")
  const tests = files.filter((file) => file.endsWith(".test.ts"))
  assert.isAbove(files.length, 100)
  assert.strictEqual(files.length, fences.length)
  assert.strictEqual(tests.length, fences.filter((fence) => fence.endsWith("import.meta.vitest")).length)
  assert.isAbove(tests.flatMap((file) => read(file).match(/\bassert\.\w+\(/g) ?? []).length, 110)
  assert.deepStrictEqual(tests.filter((file) => /\/\/ =>/.test(read(file))), [])
})

it("docs/openapi.json is the contract", () => {
  assert.strictEqual(read("docs/openapi.json"), generated)
})

it("each error of the table says what to do", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \| `\w+` \|.*\| ([^|]*) \|$/gm)]
  assert.isAbove(rows.length, 50)
  assert.deepStrictEqual(rows.filter(([, , advice = ""]) => !/\w+ \w+/.test(advice)).map(([, name]) => name), [])
})

it.effect("the message of an error in README is one of the client", () =>
  Effect.gen(function*() {
    const fake = yield* Testing.FakeLanguageService
    yield* fake.script({ fault: Testing.Fault.rateLimited({ retryAfter: "2 minutes", description: "Slow down" }) })
    const error = yield* Effect.flip(Core.Writing.use(({ rephrase }) => rephrase("a", { targetLanguage: "en-GB" })))
    assert.include(flat("README.md"), error.message)
  }).pipe(Effect.provide(Testing.FakeLanguageService.layerServices())))

it("each guide has code before its readers have to scroll", () => {
  const guides = pages.filter((page) =>
    !/contributing|architecture|decisions/.test(page) && !page.startsWith("packages/")
  )
  assert.isAbove(guides.length, 25)
  const late = guides.flatMap((page) => {
    const [before = ""] = read(page).split(/^(?:```| {4}\S)/m, 1)
    const words = before.split(/\s+/).length
    return words > 140 ? [`${page}: ${words} words before the first code`] : []
  })
  assert.deepStrictEqual(late, [])
})

const { defaults: policy } = Core.ResiliencePolicy
const { defaults: limits } = Core.Limits
const mebi = (bytes: number): string => `${bytes / 1024 ** 2} MiB`
const kibi = (bytes: number): string => `${bytes / 1024} KiB`
const grouped = (number: number): string => number.toLocaleString("en-US")

it("the limits in the pages are the defaults of the code", () => {
  const sentences: ReadonlyArray<readonly [page: string, sentence: string]> = [
    ["usage", `more than ${limits.reportDays} days (\`limits.reportDays\`)`],
    ["services", `| \`Detection.detectAll\` | ${limits.detectionTexts} texts |`],
    ["services", `| \`Writing.rephraseAll\` | ${kibi(limits.improvementBytes)} |`],
    ["services", `| \`Writing.correctAll\` | ${kibi(limits.improvementBytes)} |`],
    [
      "services",
      `| \`Translation.translateAll\` | ${limits.translationTexts} texts, ${kibi(limits.translationBytes)} |`
    ],
    ["glossaries", `at most ${limits.glossaryTermBytes} bytes in UTF-8`],
    [
      "glossaries",
      `at most ${
        mebi(limits.glossaryBytes)
      } of entries, as TSV in UTF-8; a name of at most ${limits.glossaryNameBytes} bytes`
    ],
    [
      "texts",
      `1 to ${limits.evaluationSegments} segments of one language pair, with at most ${
        grouped(limits.evaluationCharacters)
      } characters per side`
    ]
  ]
  assert.deepStrictEqual(sentences.filter(([page, sentence]) => !flat(`docs/${page}.md`).includes(sentence)), [])
})

it("the limits in the doc comments are the defaults of the code", () => {
  const source = read("packages/core/src/contract/Limits.ts")
  const documented = [...source.matchAll(/Default ([\d,]+)\. \*\/\n *(\w+):/g)]
    .map(([, number = "", name = ""]) => [name, Number(number.replaceAll(",", ""))])
  const { styleRuleLanguages: _, ...numbers } = limits
  assert.deepStrictEqual(Object.fromEntries(documented), numbers)
})

it("other numbers are those of their sources, and each number in a table of defaults is here", () => {
  const core = "packages/core/src"
  const fake = "packages/testing/src/fake/internal"
  const renewal = `${core}/languages/internal/staleWhileRevalidate`
  const config = `${core}/config/LanguageServiceConfig`
  const shared = `${core}/limits/SharedRate`
  const telemetry = "packages/node/src/NodeTelemetry"
  const pool = "packages/node/src/http/NodePool"
  const promises = `${core}/call/internal/promises`
  const numbers: ReadonlyArray<readonly [page: string, sentence: string, source: string, code: string]> = [
    ["texts", "8 by default", `${core}/texts/internal/bulk`, "defaultConcurrency = 8"],
    ["cli", "of 16 MiB at most without `--lines`", "extensions/cli/src/files/input", "mebibytes: 16"],
    ["cli", "32 MiB for glossaries", "extensions/cli/src/commands/glossaries", "mebibytes: 32"],
    ["cli", "waits of two seconds and more", "extensions/cli/src/client/client", "longWait = Duration.seconds(2)"],
    ["cli", "`--concurrency`, 4 by default", "extensions/cli/src/settings/flags", "Flag.withDefault(4)"],
    ["cli", "take two seconds", "extensions/cli/src/client/fake", "readyAfter: \"2 seconds\" })"],
    ["usage", "10,000, or `maximumEntries`", "extensions/cache/src/ResultCache", "maximumEntries = 10_000"],
    ["documents", "holds at most 10,000 documents", `${core}/documents/Journal`, "maxInMemory = 10_000"],
    ["servers", "`timeout` | 250 ms |", shared, "options.timeout ?? \"250 millis\""],
    ["servers", "`retryAfter` | 1 s |", shared, "options.retryAfter ?? \"1 second\""],
    ["servers", "`processes` | 1 |", shared, "options.processes ?? 1"],
    ["services", "`languages: { timeToLive: \"1 hour\" }` | 1 hour |", config, "timeToLive: Duration.hours(1)"],
    ["services", "`languages: { keepStale: \"1 day\" }` | 1 day |", config, "keepStale: Duration.days(1)"],
    ["services", "loaded in 10 seconds", renewal, "maxWait = Duration.seconds(10)"],
    ["observability", "two exports are in flight", telemetry, "inFlight = 2"],
    ["observability", "eight are queued", telemetry, "capacity = 10"],
    ["testing", "10,000 by default (option `remembered`)", `${fake}/state`, "remembered ?? 10_000"],
    ["testing", "at most 32 Mi characters", `${fake}/server`, "rememberedCharacters = 32 * 1024 * 1024"],
    [`${pool}.ts`, "TLS handshake. Default: 5 s,", pool, "pool.connectTimeout ?? \"5 seconds\""],
    [`${pool}.ts`, "Default: 30 s, which", pool, "pool.keepAlive ?? \"30 seconds\""],
    [`${promises}.ts`, "calls in flight. Default: 30 seconds.", promises, "limit = \"30 seconds\" } = isOptions"],
    ["voice", "waits of at most 10 seconds", "extensions/voice/src/VoiceRealtime", "longestWait = 10_000"]
  ]
  const differing = numbers.filter(([page, sentence, source, code]) =>
    !flat(page.endsWith(".ts") ? page : `docs/${page}.md`).includes(sentence) ||
    !read(`${source}.ts`).split(code).slice(1).some((rest) => !/^[\w. *]/.test(rest))
  )
  assert.deepStrictEqual(differing, [])
  const rows = globSync("docs/*.md", { exclude: ["docs/resilience.md"] }).flatMap((file) =>
    [...read(file).matchAll(/^\|.*\| Default +\|.*\n\|[-| ]+\n((?:\|.*\n)+)/gim)].flatMap(([table, body = ""]) => {
      const column = table.split("\n", 1)[0]?.split("|").findIndex((cell) => /^ *default *$/i.test(cell)) ?? 0
      return body.trim().split("\n").filter((row) => /^ *\d/.test(row.split("|")[column] ?? ""))
        .map((row) => ({ page: basename(file, ".md"), row: row.replaceAll(/\s+/g, " ") }))
    })
  )
  assert.isNotEmpty(rows)
  const missing = rows.filter(({ page, row }) =>
    !numbers.some(([of, sentence]) => of === page && row.includes(sentence))
  )
  assert.deepStrictEqual(missing, [])
})

/** A cell of the table as a value: a length of time in milliseconds, a number, or its text. */
const parsed = (cell: string): unknown => {
  const [, amount = "", unit] = /^([\d.]+)(?: (ms|s|min))?$/.exec(cell) ?? []
  const number = Number(amount)
  if (amount === "") return cell
  return unit === undefined ? number : number * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000)
}

const expected = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      Duration.isDuration(value)
        ? Duration.toMillis(value)
        : value === undefined
        ? "none"
        : typeof value === "boolean"
        ? String(value)
        : value
    ])
  )

it("the table of the policy has each field once, with its default", () => {
  const [, table = ""] = read("docs/resilience.md").split(/^\| Field \| Default .*$/m)
  const rows = Array.from(
    (table.split(/\n\n/)[0] ?? "").matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm),
    ([, field = "", cell = ""]) => [field, parsed(cell)]
  )
  assert.deepStrictEqual(Object.fromEntries(rows), expected(policy))
})
