// Whatever goes wrong is one line, or one object, and has its code.
import * as Problem from "@effect-lingua/core/errors/Problem"
import { Event, Events } from "@effect-lingua/core/telemetry/Events"
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Duration, Effect, FileSystem, Layer, Sink, Stdio } from "effect"
import { publisherOf } from "../../../../packages/core/src/telemetry/internal/telemetry.ts"
import { classes } from "../../../../packages/node/test/support/errorClasses.ts"
import { sampled } from "../../../../test/support/scale.ts"
import { effect, live, liveWith } from "../../../../test/support/tests.ts"
import { reportingEvents } from "../../src/client/client.ts"
import { styleId } from "../../src/client/sample.ts"
import { exitCodeOf, exitCodes } from "../../src/screen/failures.ts"
import * as Settings from "../../src/settings/settings.ts"
import { inProcess } from "../support/cli.ts"

const key = "key-that-nobody-sees"

const ofFake = Effect.map(FakeLanguageService, ({ url }) => ({
  LANGUAGE_SERVICE_KEY: key,
  LANGUAGE_SERVICE_BASE_URL: url
}))

const fake = NodeFakeLanguageService.layer({
  keys: [{ key, tier: "paid" }, { key: `${key}:fx`, tier: "free" }],
  seed: "cli"
})

const other = "00000000-0000-4000-8000-000000000000"

/** What is wrong with the way it was called, with what is said of it. */
const misuses: ReadonlyArray<readonly [command: string, message: string, see?: string]> = [
  ["corect", `Unknown subcommand "corect" for "effect-lingua". Did you mean "correct"?`, ""],
  ["--nonsense", "Unrecognized flag: --nonsense in command effect-lingua", ""],
  ["correct --be", "Unrecognized flag: --be in command effect-lingua correct (see", "correct"],
  [
    "rephrase --stile x a",
    `Unrecognized flag: --stile in command effect-lingua rephrase. Did you mean "--style"?`,
    "rephrase"
  ],
  ["rephrase --style business --tone friendly a", "--style and --tone exclude each other"],
  ["correct -march.txt", "there is no flag -march.txt; put -- before a text that begins with -, and = before a value"],
  ["correct --to", "Missing value for flag --to. Expected: language", "correct"],
  ["correct --attempts many a", `Invalid value for flag --attempts: "many". `, "correct"],
  [
    "correct --timeout soon a",
    `Invalid value for flag --timeout: "soon". Expected a time above 0, such as 30s, 2m or "2 minutes"`,
    "correct"
  ],
  [
    "correct --timeout 0s a",
    `Invalid value for flag --timeout: "0s". Expected a time above 0, such as 30s, 2m or "2 minutes"`,
    "correct"
  ],
  [
    "correct --attempts 0 a",
    "Invalid value for flag --attempts: \"0\". Expected a value greater than or equal to 1",
    "correct"
  ],
  ["correct --tier gold a", `Invalid value for flag --tier: "gold". `, "correct"],
  ["translate a", "no language to translate to: give --to"],
  ["translate -t de --memory-threshold half a", `Invalid value for flag --memory-threshold: "half". `, "translate"],
  ["translate -t de --placeholders icu --tag-handling xml a", "--placeholders uses XML itself"],
  [`detect ""`, "text 1 is empty"],
  [`request GET /v2/usage --header "a: b" --header "a: c"`, "--header a is given twice"],
  ["languages write", `Unexpected positional argument: "write"`, "languages"],
  ["languages --resources --resource write", "--resources excludes --resource and --include"],
  ["style-rules lst", `Unknown subcommand "lst" for "effect-lingua style-rules". Did you mean "list"?`, "style-rules"],
  ["style-rules list --page x", `Invalid value for flag --page: "x". `, "style-rules list"],
  ["style-rules show", "Missing required argument: list", "style-rules show"],
  ["style-rules create a", "Missing required flag: --language", "style-rules create"],
  [
    "style-rules create a --language de --rule a=b",
    "--rule takes category.rule=option, such as dates_and_times.calendar_era=use_bc_and_ad; not a=b"
  ],
  ["style-rules create a --language de --instruction a", "--instruction a is not of the form label=prompt"],
  [
    "style-rules create a --language de --rules-file -",
    `standard input does not contain rules as JSON, {"category": {"rule": "option"}}`
  ],
  [`style-rules edit ${styleId}`, "nothing to change: give --name, --rule, --rules-file or --clear-rules"],
  [`style-rules edit ${styleId} --clear-rules --rule a.b=c`, "--clear-rules excludes --rule and --rules-file"],
  ["style-rules sync -", "standard input does not contain lists as JSON, "],
  [`style-rules instructions edit ${styleId} ${other}`, "nothing to change: give --label, --prompt or --from"],
  ["glossaries create a - -t de", "Missing required flag: --from", "glossaries create"],
  [
    "glossaries create a terms.txt --from en -t de",
    "terms.txt ends neither with .tsv nor with .csv: give its format with --format"
  ],
  [`glossaries merge ${other} - --format xls --from en -t de`, "Invalid value for flag --format: "],
  [`glossaries delete ${other}`, "it cannot be undone, and there is no terminal to ask for confirmation: give --yes"],
  ["glossaries sync -", "standard input does not contain glossaries as JSON, "],
  // What the client refuses before anything is sent.
  [
    "glossaries create a - --from en -t de",
    "Glossaries.create: -: line 1, column 2: there is no tab between a source and a target. Nothing was sent"
  ],
  ["glossaries show ..", `there is no glossary ".."; there are "Hardware"`],
  [`translate -t de --glossary ${other} a`, "Translation.translate: "],
  ["style-rules list --page -1", "StyleRules.listPage: page: given -1, allowed an integer from 0."],
  ["style-rules create a --language xx", `StyleRules.create: language: given "xx", allowed one of de,`],
  ["style-rules show ..", `there is no list of style rules ".."; there are "House style"`],
  [
    `style-rules instructions create ${styleId} --label ${"a".repeat(101)} --prompt b`,
    "StyleRules.addInstruction: label: given 101 characters, allowed 100."
  ]
]

const test = liveWith(fake)

describe.concurrent("a wrong call", () => {
  live("has lines of whole words at a terminal, the nearest style, and no position of a single text", function*() {
    const args = ["rephrase", "--fake", "--style", "prefer_busines", "--to", "en-GB", "a"]
    const { err } = yield* inProcess(args, { columns: 40, env: { NO_COLOR: "1" }, terminal: { stderr: true } })
    const [warning = "", , ...lines] = err.trimEnd().split("\n")
    assert.include(warning, `--style "prefer_busines" is not known; the nearest is "business"`)
    assert.isAbove(lines.length, 5)
    for (const line of lines) assert.isAtMost(line.length, 40)
    assert.include(lines.join(" "), "Value for 'writing_style' not supported. Correct the request")
  })

  it.live("is told in one line, with what to do, and ends with 2", () =>
    Effect.forEach(misuses, ([command, message, see]) =>
      Effect.gen(function*() {
        const ran = yield* inProcess(`${command} --fake --quiet`, { stdin: "{" })
        assert.deepStrictEqual([ran.code, ran.out], [2, ""], command)
        assert.match(ran.err, /^effect-lingua: [^\n]+\n$/)
        assert.isTrue(ran.err.startsWith(`effect-lingua: ${message}`), ran.err)
        if (see !== undefined) {
          assert.isTrue(ran.err.endsWith(` (see ${`effect-lingua ${see}`.trim()} --help)\n`), ran.err)
        }
      }), { discard: true }))

  live("is one object with --json, wherever that stands", function*() {
    for (const args of [["--json", "corect"], ["corect", "--json"], ["correct", "--json=true", "--stile"]]) {
      const { code, err, out } = yield* inProcess(args)
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(err, /^\{[^\n]+\}\n$/)
      assert.deepInclude(JSON.parse(err), { type: "error", exitCode: 2 })
    }
    assert.match((yield* inProcess(["corect", "--", "--json"])).err, /^effect-lingua: /)
  })

  it.live("with the key among the arguments is told why not, without the key", () =>
    Effect.forEach(
      [["--key", key, "correct", "a"], ["correct", "a", `--api-key=${key}`], ["--auth-key", key]],
      (args) =>
        Effect.map(inProcess(args), (ran) =>
          assert.deepStrictEqual(ran, {
            code: 2,
            out: "",
            err: "effect-lingua: the key is never a flag, because other users could see it: set " +
              "LANGUAGE_SERVICE_KEY, or LANGUAGE_SERVICE_KEY_FILE to a file that contains it\n"
          })),
      { discard: true }
    ))

  live.each<readonly [kind: string, variable: string]>([
    ["admin", "LANGUAGE_SERVICE_ADMIN_KEY"],
    ["document", "LANGUAGE_SERVICE_DOCUMENT_KEY"]
  ])("with the %s key among the arguments names %s, without the key", function*([kind, variable]) {
    for (const args of [["usage", `--${kind}-key`, key], [`--${kind}-key=${key}`, "usage"]]) {
      const { code, err, out } = yield* inProcess(args)
      assert.deepStrictEqual([code, out], [2, ""])
      assert.include(err, variable)
      assert.notInclude(err, key)
    }
  })

  live("of nothing at all, or of a group of commands, gets its help", function*() {
    for (const args of [[], ["style-rules"], ["style-rules", "instructions"]]) {
      const { code, err, out } = yield* inProcess(args)
      assert.deepStrictEqual([code, err], [0, ""])
      assert.include(out, `USAGE\n  ${["effect-lingua", ...args].join(" ")} <subcommand>`)
    }
  })
})

describe.concurrent("a failing call", () => {
  effect("has a code of waiting only if waiting can repair it: a script would repeat it for ever", function*() {
    const waiting: ReadonlyArray<number> = [exitCodes.busy, exitCodes.notReady]
    const codes = new Set<number>()
    for (const [name, Class] of classes) {
      const [error] = yield* Arbitrary.sampleEffect(Arbitrary.schema(Class), { count: 1, size: 3, seed: name })
      assert(Problem.isSource(error) && error.category !== undefined, name)
      const code = exitCodeOf({ category: error.category })
      codes.add(code)
      if (!error.isTransient) assert.notInclude(waiting, code, name)
    }
    assert.isAbove(codes.size, 9)
  })

  const once = ["--attempts", "1"]

  test("ends with the code of its kind, says so in one line, and never shows the key", function*() {
    const { script } = yield* FakeLanguageService
    const env = yield* ofFake
    const correct = ["correct", "a", ...once]
    const create = ["style-rules", "create", "a", "--language", "de", ...once]
    const cases = [
      [correct, { status: 400 }, 2],
      [correct, { status: 403 }, 4],
      [correct, { status: 413 }, 2],
      [correct, { status: 429, retryAfter: "7 seconds" }, 7],
      [correct, { status: 456 }, 6],
      [correct, { status: 500 }, 8],
      [correct, { status: 503 }, 8],
      [correct, { status: 529 }, 7],
      [correct, { reset: true }, 8],
      [create, { status: 500 }, 9],
      [create, { reset: true }, 9]
    ] as const
    for (const [args, fault, code] of cases) {
      yield* script({ fault })
      const ran = yield* inProcess(args, { env })
      assert.deepStrictEqual([ran.code, ran.out], [code, ""], JSON.stringify(fault))
      assert.match(ran.err, /^effect-lingua: (Writing\.correct|StyleRules\.create): [^\n]+\n$/)
      assert.notInclude(ran.err, key)
    }
  })

  test("for a key that is wrong, of the other tier, or has no access ends with 4", function*() {
    const env = yield* ofFake
    for (
      const [args, given] of [
        [["correct", "a"], "wrong-key-that-nobody-sees"],
        [["correct", "a"], `${key}:fx`],
        [["detect", "a"], key]
      ] as const
    ) {
      const ran = yield* inProcess(args, { env: { ...env, LANGUAGE_SERVICE_KEY: given } })
      assert.deepStrictEqual([ran.code, ran.out], [4, ""])
      assert.match(ran.err, /^effect-lingua: [^\n]+\n$/)
      assert.notInclude(ran.err, given)
    }
  })

  test("for what is not there ends with 5", function*() {
    const env = yield* ofFake
    for (
      const args of sampled([
        ["style-rules", "show", other],
        ["style-rules", "edit", other, "--name", "a"],
        ["style-rules", "delete", "--yes", other],
        ["glossaries", "show", other],
        ["glossaries", "rename", other, "a"],
        ["glossaries", "delete", "--yes", other],
        ["glossaries", "delete-dictionary", "--yes", other, "--from", "en", "-t", "de"],
        ["glossaries", "entries", other, "--from", "en", "-t", "de"],
        ["style-rules", "instructions", "delete", other, other],
        ["voice", "terms", "show", other],
        ["voice", "terms", "rename", other, "a"],
        ["voice", "terms", "delete", "--yes", other],
        ["voice", "terms", "delete-list", "--yes", other, "--language", "en"],
        ["voice", "terms", "entries", other, "--language", "en"],
        ["translate", "-t", "de", "--style-rules", other, "a"]
      ], 5)
    ) {
      const ran = yield* inProcess(args, { env })
      assert.deepStrictEqual([ran.code, ran.out], [5, ""], args.join(" "))
      assert.match(ran.err, /^effect-lingua: [^\n]+\n$/)
    }
  })

  live("where nobody listens ends with 8", function*() {
    const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: "http://127.0.0.1:1" }
    const ran = yield* inProcess(["languages", ...once], { env })
    assert.strictEqual(ran.code, 8)
    assert.match(ran.err, /^effect-lingua: Languages\.list: no connection to the service\. [^\n]+\n$/)
  })

  test("is one object with --json: what it is, how often it was tried, when to come back", function*() {
    const { script } = yield* FakeLanguageService
    yield* script({ fault: { status: 429, retryAfter: "7 seconds" } })
    const limited = yield* inProcess(["correct", "a", "--json", ...once], { env: yield* ofFake })
    assert.strictEqual(limited.code, 7)
    const error = JSON.parse(limited.err)
    assert.deepInclude(error, {
      type: "error",
      error: "RateLimited",
      operation: "Writing.correct",
      status: 429,
      outcome: "refused",
      isTransient: true,
      retryAfter: 7,
      attempts: 1,
      exitCode: 7
    })
    assert.match(error.traceId, /^[0-9a-f]{32}$/)
    assert.include(error.message, error.traceId)
    yield* script({ fault: { reset: true } })
    const unknown = yield* inProcess(
      ["style-rules", "create", "House", "--language", "de", "--json", ...once],
      { env: yield* ofFake }
    )
    assert.deepInclude(JSON.parse(unknown.err), {
      error: "OutcomeUnknown",
      lookup: { name: "House", language: "de" },
      outcome: "unknown",
      exitCode: 9
    })
  })
})

describe.concurrent("a bug of the program", () => {
  live("is one line that asks to report it, and ends with 1", function*() {
    const files = FileSystem.layerNoop({ exists: () => Effect.die(new Error("something\nbroke")) })
    const env = { XDG_CONFIG_HOME: "/settings" }
    const ran = yield* inProcess(["correct", "a"], { files, env })
    assert.deepStrictEqual(ran, {
      code: 1,
      out: "",
      err: "effect-lingua: Error: something broke. This is a bug of effect-lingua; please report it at " +
        "https://github.com/effect-lingua/effect-lingua/issues\n"
    })
    const json = JSON.parse((yield* inProcess(["correct", "a", "--json"], { files, env })).err)
    assert.deepInclude(json, { type: "error", error: "Defect", exitCode: 1 })
  })
})

describe.concurrent("what happens meanwhile", () => {
  test("is told with --verbose, attempt by attempt, before the result", function*() {
    const { script } = yield* FakeLanguageService
    const env = yield* ofFake
    yield* script({ fault: { status: 503 } })
    const { code, err, out } = yield* inProcess(["correct", "teh house", "--verbose"], { env })
    assert.deepStrictEqual([code, out], [0, "The house.\n"])
    const [first, waiting, second, end] = err.split("\n")
    assert.match(first ?? "", /^effect-lingua: Writing\.correct: .*#1 503 ServiceUnavailable/)
    assert.match(waiting ?? "", /^effect-lingua: Writing\.correct: waiting .+ \(backoff\)$/)
    assert.match(second ?? "", /^effect-lingua: Writing\.correct: .*#2 200/)
    assert.strictEqual(end, "")
    assert.notInclude(err, key)
    yield* script({ fault: { status: 503 } })
    const json = yield* inProcess(["correct", "teh house", "--verbose", "--json"], { env })
    assert.deepStrictEqual(
      json.err.trimEnd().split("\n").map((line) => JSON.parse(line)).map(({ error, status, type }) => [
        type,
        status,
        error
      ]),
      [["attempt", 503, "ServiceUnavailable"], ["waiting", undefined, undefined], ["attempt", 200, undefined]]
    )
  })

  effect("is told to the last, even when all of it happens at once and who reads it is slow", function*() {
    let text = ""
    const stdio = Stdio.layerTest({
      stderr: () =>
        Sink.forEach((chunk: string | Uint8Array) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => {
              text += String(chunk)
            })
          )
        )
    })
    yield* reportingEvents(Effect.map(Events, (events) => {
      for (let i = 0; i < 100; i++) {
        publisherOf(events)?.publish(
          () =>
            Event.Waiting({
              operation: `call ${i}`,
              wait: Duration.seconds(9),
              cause: "backoff",
              annotations: {}
            })
        )
      }
    })).pipe(
      Effect.provide([stdio, Events.layer, NodeTerminal.layer]),
      Effect.provideService(Settings.Quiet, false),
      Effect.provideService(Settings.Json, false),
      Effect.provideService(Settings.Verbose, true)
    )
    assert.strictEqual(text.split("\n").length, 101)
    assert.isTrue(text.endsWith("effect-lingua: call 99: waiting 9 s (backoff)\n"), text)
  })

  it.live("is silence with --quiet, and without a flag where nothing takes long", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const env = yield* ofFake
      for (const flags of [["--quiet"], ["--quiet", "--verbose"], []]) {
        yield* script({ fault: { status: 503 } })
        const { code, err } = yield* inProcess(["correct", "teh house", ...flags], { env })
        assert.deepStrictEqual([code, err], [0, ""])
      }
    }).pipe(Effect.provide(Layer.fresh(fake))))
})

it.live.each<[args: ReadonlyArray<string>, message: string]>([
  [["translate", "-t", "en-UK", "Hello"], `targetLanguage "en-UK" is not listed; the nearest is "en-GB"`],
  [["translate", "--from", "en-US", "-t", "de", "Hello"], `sourceLanguage "en-US" is not listed; the nearest is "en"`],
  [["rephrase", "--to", "en-UK", "Hello"], `targetLanguage "en-UK" is not listed; the nearest is "en-GB"`],
  [
    ["glossaries", "create", "Terms", "-", "--from", "en", "-t", "pt-BR"],
    `targetLanguage "pt-BR" is not listed; the nearest is "pt"`
  ]
])("%j names the nearest language", ([args, message]) =>
  Effect.gen(function*() {
    const { code, err } = yield* inProcess(args, { env: yield* ofFake, stdin: "a\tb\n" })
    assert.strictEqual(code, exitCodes.usage)
    assert.include(err, message)
  }).pipe(Effect.provide(Layer.fresh(fake))))
