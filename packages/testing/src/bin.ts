#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import { authScheme } from "./compat/internal/defaults.ts"
import * as NodeCompat from "./compat/NodeCompat.ts"
import { path as controlPath } from "./fake/ControlApi.ts"
import { FakeLanguageService } from "./fake/FakeLanguageService.ts"
import { Taught } from "./fake/internal/schemas.ts"
import * as NodeFakeLanguageService from "./fake/NodeFakeLanguageService.ts"
import { describe, everyIssue } from "./faults/internal/schema.ts"
import * as Script from "./faults/Script.ts"
import * as Weather from "./faults/Weather.ts"

const name = "fake-language-service"

const presets = { calm: Weather.calm, rough: Weather.rough, storm: Weather.storm }

/** Exit codes other than 0 (ended by a signal) and 1 (an internal error). */
const misused = 2
const notListening = 3

class Misuse extends Data.TaggedError("Misuse")<{ readonly message: string; readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

const misuse = (message: string, code = misused) =>
  new Misuse({ message: message.replace(/\s*\n\s*/g, " ").trim(), code })

const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

const toggle = (name: string, isOn: boolean, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(isOn))

const duration = (name: string, description: string) =>
  optional(
    Flag.String(name).pipe(Flag.withSchema(Schema.DurationFromString), Flag.withMetavar("duration")),
    `${description}; such as "500 millis"`
  )

const matching = (name: string, pattern: RegExp, expected: string) =>
  Flag.String(name).pipe(Flag.withSchema(Schema.String.check(Schema.isPattern(pattern, { expected }))))

const word = (name: string) => matching(name, /^\S+$/, "one word")

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))

const flags = {
  port: optional(
    Flag.Int("port").pipe(Flag.withSchema(Port)),
    "The port to listen at, 8080 by default; 0 for a free one"
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription("The address to listen at: 127.0.0.1, for this machine only, by default; 0.0.0.0 for all"),
    Flag.withDefault("127.0.0.1")
  ),
  key: word("key").pipe(
    Flag.withDescription(`The accepted key, of the paid tier; ${FakeLanguageService.defaultKey} by default`),
    Flag.withDefault(FakeLanguageService.defaultKey)
  ),
  freeKey: optional(word("free-key"), "A key of the free tier, accepted too"),
  adminKey: matching("admin-key", /^\S+:adm$/, "one word that ends with :adm").pipe(
    Flag.withDescription(
      `The accepted admin key, which ends with :adm; ${FakeLanguageService.defaultAdminKey} by default`
    ),
    Flag.withDefault(FakeLanguageService.defaultAdminKey)
  ),
  authSchemes: word("auth-scheme").pipe(
    Flag.withDescription(
      "A scheme word accepted in the header Authorization (repeatable); Service-Auth-Key by default"
    ),
    Flag.atLeast(0)
  ),
  seed: optional(Flag.String("seed"), "The seed of ids and of random faults; the same seed has the same results"),
  weather: optional(
    Flag.String("weather"),
    `Random faults: ${Object.keys(presets).join(", ")}, JSON such as '{"rate429":0.1}', or a file of such JSON`
  ),
  script: optional(
    Flag.String("script").pipe(Flag.withMetavar("file")),
    "A file with a JSON array of scripts of faults"
  ),
  taught: optional(
    Flag.String("taught").pipe(Flag.withMetavar("file")),
    "A file with answers to texts as JSON: translations, improvements, detections and phrases"
  ),
  quota: optional(
    Flag.Int("quota").pipe(Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))),
    "Characters that can be used in 30 days; practically unlimited by default"
  ),
  readyAfter: duration("ready-after", "The duration of the translation of a document, 3 seconds by default"),
  latency: duration("latency", "Delay before each response"),
  basePath: optional(
    matching("base-path", /^(\/[\w.~-]+)+\/?$/, "a path such as /lingua"),
    "The path before the paths of the contract, such as /lingua"
  ),
  compat: optional(
    Flag.Literals("compat", ["deepl-mock"]),
    "Serve the test suites of other clients: session headers, any key, and an HTTP proxy. Flags of keys, --quota, --ready-after and " +
      "--base-path do not apply. Ports are 3000 and 3001, or DEEPL_MOCK_SERVER_PORT and DEEPL_MOCK_PROXY_SERVER_PORT"
  ),
  docs: toggle("docs", true, "Serve the description of the contract at /docs; --no-docs switches it off"),
  control: toggle("control", true, `Serve the control endpoint at ${controlPath}; --no-control switches it off`),
  verbose: toggle("verbose", false, "Write each request as one line to stderr")
}

const decode = <A>(schema: Schema.Codec<A, unknown>, place: string) => (text: string) =>
  Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { ...everyIssue, onExcessProperty: "error" })(text).pipe(
    Effect.mapError((error) => misuse(`${place}: ${describe(error)}`))
  )

const read = (file: string) => FileSystem.FileSystem.use((fs) => fs.readFileString(file))

const isPreset = (name: string): name is keyof typeof presets => Object.hasOwn(presets, name)

const weatherOf = Effect.fnUntraced(function*(given: string) {
  if (isPreset(given)) return presets[given]
  if (/^\s*[[{]/.test(given)) return yield* decode(Weather.Weathers, "--weather")(given)
  const text = yield* Effect.mapError(read(given), () =>
    misuse(
      `--weather: "${given}" is neither one of ${Object.keys(presets).join(", ")}, nor JSON, nor a readable file.`
    ))
  return yield* decode(Weather.Weathers, `--weather ${given}`)(text)
})

const fileOf = <A>(schema: Schema.Codec<A, unknown>, flag: string, file: string) =>
  Effect.mapError(read(file), ({ reason }) => misuse(`${flag}: the file ${file} cannot be read (${reason._tag}).`))
    .pipe(
      Effect.flatMap(decode(schema, `${flag} ${file}`))
    )

/** Logs to stderr; stdout has only the address. */
const logger = Logger.layer([
  Logger.withConsoleError(
    Logger.make(({ cause, message }) =>
      [...Arr.ensure(message), ...(cause.reasons.length === 0 ? [] : [Cause.pretty(cause)])].join(" ")
    )
  )
])

type Flags = {
  readonly [Name in keyof Omit<typeof flags, "compat" | "verbose">]: typeof flags[Name] extends Flag.Flag<infer A> ? A
    : never
}

const filesOf = Effect.fnUntraced(function*({ script, taught, weather }: Pick<Flags, "script" | "taught" | "weather">) {
  return {
    weather: weather === undefined ? undefined : yield* weatherOf(weather),
    scripts: script === undefined ? undefined : yield* fileOf(Script.Scripts, "--script", script),
    taught: taught === undefined ? undefined : yield* fileOf(Taught, "--taught", taught)
  }
})

const serveFake = Effect.fnUntraced(function*(
  { adminKey, authSchemes, freeKey, key, port = 8080, quota, script, taught, weather, ...options }: Flags
) {
  const [scheme = "Service-Auth-Key"] = authSchemes
  const layer = NodeFakeLanguageService.layer({
    ...options,
    port,
    keys: [
      { key, tier: "paid", detectionEnabled: true },
      ...(freeKey === undefined ? [] : [{ key: freeKey, tier: "free" as const }]),
      { key: adminKey, tier: "paid" }
    ],
    authSchemes: authSchemes.length === 0 ? [scheme] : authSchemes,
    quota: { characters: quota },
    ...(yield* filesOf({ script, taught, weather }))
  })
  return { layer, authorization: `${scheme} ${key}` }
})

const portOf = (name: string, byDefault: number) =>
  Config.schema(Schema.NumberFromString.pipe(Schema.decodeTo(Port)), name).pipe(
    Config.withDefault(byDefault),
    Effect.mapError(() => misuse(`${name}: Expected a port.`))
  )

const serveCompat = Effect.fnUntraced(function*(
  { authSchemes, control, docs, host, latency, port, script, seed, taught, weather }: Flags
) {
  const [scheme = authScheme] = authSchemes
  const layer = NodeCompat.layer({
    control,
    docs,
    host,
    latency,
    seed,
    port: port ?? (yield* portOf("DEEPL_MOCK_SERVER_PORT", 3000)),
    proxyPort: yield* portOf("DEEPL_MOCK_PROXY_SERVER_PORT", 3001),
    authSchemes: authSchemes.length === 0 ? [scheme] : authSchemes,
    ...(yield* filesOf({ script, taught, weather }))
  })
  return { layer, authorization: `${scheme} with any key` }
})

interface Served {
  readonly authorization: string
  readonly layer: Layer.Layer<FakeLanguageService, NodeFakeLanguageService.PortInUse | ServeError>
}

const command = Command.make(
  name,
  flags,
  Effect.fnUntraced(function*({ compat, verbose, ...given }) {
    const { authorization, layer }: Served = yield* compat === undefined ? serveFake(given) : serveCompat(given)
    const context = yield* Layer.build(layer).pipe(
      Effect.mapError((error) =>
        misuse(error._tag === "ServeError" ? String(error.cause) : error.message, notListening)
      ),
      Effect.provideService(References.MinimumLogLevel, verbose ? "Debug" : "Info")
    )
    const { url } = Context.get(context, FakeLanguageService)
    const proxy = Option.map(Context.getOption(context, NodeCompat.Compat), ({ proxyUrl }) => `proxy at ${proxyUrl}`)
    const { origin } = new URL(url)
    yield* Console.log([
      `Listening at ${url}`,
      ...Option.toArray(proxy),
      `Authorization: ${authorization}`,
      ...(given.docs ? [`docs at ${origin}/docs`] : []),
      ...(given.control ? [`control at ${origin}${controlPath}`] : [])
    ].join(", "))
    return yield* Effect.never
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "A fake of the Language Service API on a socket of this machine, for tests and trials. It runs until it is " +
      `interrupted, and then exits with 0; with ${misused} for an invalid invocation, and with ${notListening} if it ` +
      "cannot listen, for example because the port is in use."
  ),
  Command.withExamples([
    { command: `npx @effect-lingua/testing --port 8080`, description: "A fake without faults" },
    {
      command: `npx @effect-lingua/testing --weather rough --seed monday`,
      description: "The same random faults each time"
    },
    {
      command: `npx @effect-lingua/testing --script faults.json --verbose`,
      description: "Faults from a file, requests to stderr"
    },
    { command: `npx @effect-lingua/testing --compat deepl-mock`, description: "For the test suites of other clients" },
    { command: `curl -X POST http://127.0.0.1:8080${controlPath}/reset`, description: "Restore the initial state" }
  ])
)

/** Omits the help text for an invalid invocation, which is reported in one line on stderr. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "Help" && event.reason === "Implicit" ? Effect.void : CliOutput.defaultPresenter.present(event)
})

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const main = Effect.gen(function*() {
  const manifest = yield* Effect.orDie(read(fileURLToPath(new URL("../package.json", import.meta.url))))
  const { version } = yield* Effect.orDie(Schema.decodeUnknownEffect(Manifest)(manifest))
  yield* Command.run(command, { version, renderErrors: false })
}).pipe(
  Effect.catchTag("ShowHelp", ({ errors }) =>
    errors.length === 0
      ? Effect.void
      : Effect.fail(misuse(`${errors.map(({ message }) => message).join("; ")} (see --help)`))),
  Effect.tapErrorTag("Misuse", ({ message }) => Console.error(`${name}: ${message}`)),
  Effect.provide([
    presenter,
    logger,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
    NodeServices.layer
  ])
)

/** Exits with code 0 if a signal, such as Ctrl-C, interrupts the server. */
NodeRuntime.runMain(main, {
  teardown: (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
})
