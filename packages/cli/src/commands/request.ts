/** `request`. */
import type { RequestOptions } from "@effect-lingua/core/client/Requests"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { call } from "../client/client.ts"
import * as Input from "../files/input.ts"
import * as Output from "../files/output.ts"
import { InvalidUsage } from "../settings/errors.ts"
import { optional, text, texts, toggle } from "../settings/flags.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** What repeating does, by the name that the flag has for it. */
const repeats = { read: "Read", metered: "Metered", replace: "Replace", create: "Create" } as const

const isPath = (path: string): path is RequestOptions<unknown>["path"] => path.startsWith("/")

/** Names and values of flags such as `--query name=value`; a name that is there twice has both. */
const pairsOf = Effect.fnUntraced(function*(flag: string, separator: string, given: ReadonlyArray<string>) {
  const pairs = new Map<string, Array<string>>()
  for (const pair of given) {
    const at = pair.indexOf(separator)
    if (at <= 0) {
      return yield* new InvalidUsage({ message: `--${flag} takes name${separator}value` })
    }
    const name = pair.slice(0, at).trim()
    pairs.set(name, [...pairs.get(name) ?? [], separator === ":" ? pair.slice(at + 1).trim() : pair.slice(at + 1)])
  }
  return pairs
})

/** The same where a name can have one value. */
const recordOf = Effect.fnUntraced(function*(flag: string, separator: string, given: ReadonlyArray<string>) {
  const pairs = yield* pairsOf(flag, separator, given)
  for (const [name, values] of pairs) {
    if (values.length > 1) return yield* new InvalidUsage({ message: `--${flag} has ${name} twice` })
  }
  return Object.fromEntries(Array.from(pairs, ([name, [value = ""]]) => [name, value]))
})

const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))

interface Body {
  readonly contentType: string | undefined
  readonly data: string | undefined
  readonly dataFile: string | undefined
}

/** What is sent: JSON, which is looked at before, or a text of the type that is said. */
const bodyOf = Effect.fnUntraced(function*({ contentType, data, dataFile }: Body) {
  if (data !== undefined && dataFile !== undefined) {
    return yield* new InvalidUsage({ message: "--data and --data-file are both the body; leave out one of them" })
  }
  const given = dataFile === undefined ? data : yield* Input.fileText(dataFile)
  if (given === undefined || contentType !== undefined) {
    return given === undefined ? undefined : new TextEncoder().encode(given)
  }
  return yield* Effect.mapError(parse(given), () =>
    new InvalidUsage({
      message: `${dataFile ?? "--data"} is not JSON; say with --content-type what it is, if it is something else`
    }))
})

/** JSON, or nothing at all. */
const answer = Schema.UndefinedOr(Schema.Json)

/** Sends a request to any path of the service. */
export const request = Command.make(
  "request",
  {
    method: Argument.Literals("method", methods).pipe(Argument.withDescription("The method")),
    path: Argument.String("path").pipe(
      Argument.withDescription("The path below the base address, with the version; a part such as :id is a --param")
    ),
    params: texts("param", "name=value", "What stands in the path for a part such as :id"),
    query: texts("query", "name=value", "A parameter of the query"),
    headers: texts("header", "name:value", "A header; never the key, which the client sends itself"),
    data: text("data", "json", "The body, as JSON"),
    dataFile: text("data-file", "file", "A file with the body, - for standard input"),
    contentType: text("content-type", "type", "The type of a body that is not JSON"),
    repeat: optional(
      Flag.Literals("repeat", ["read", "metered", "replace", "create"]),
      "What sending it again does: read for a GET and create for all else, which is not sent again once it may have worked"
    ),
    text: toggle("text", "The answer is a text, not JSON"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { contentType, method, path } = input
    if (!isPath(path)) return yield* new InvalidUsage({ message: "the path begins with /, such as /v3/languages" })
    const options = {
      method,
      path,
      params: yield* recordOf("param", "=", input.params),
      query: Object.fromEntries(yield* pairsOf("query", "=", input.query)),
      headers: yield* recordOf("header", ":", input.headers),
      body: yield* bodyOf(input),
      contentType,
      repeat: repeats[input.repeat ?? (method === "GET" ? "read" : "create")]
    }
    yield* Output.deliver(
      input,
      call(({ Requests }) =>
        Effect.map(
          Requests.use((requests) =>
            input.text
              ? requests.send({ ...options, success: Schema.String.pipe(HttpApiSchema.asText()) })
              : requests.send({ ...options, success: answer })
          ),
          (body): Output.Results => ({
            json: body === undefined ? [] : [body],
            human: ({ clean }) =>
              body === undefined
                ? ""
                : clean(input.text && typeof body === "string" ? body : JSON.stringify(body, null, 2))
          })
        )
      )
    )
  })
).pipe(
  Command.withDescription(
    "Send a request to any path of the service, with the key, the repeats and the errors of all others"
  ),
  Command.withExamples([
    {
      command: `effect-lingua request --fake GET /v3/languages --query resource=glossary`,
      description: "Something that is read"
    },
    {
      command: `effect-lingua request --fake POST /v3/style_rules --data '{"name": "House style", "language": "en"}'`,
      description: "Something that is made, of which the answer is shown"
    }
  ])
)
