import { CustomRequests, type RequestOptions } from "@effect-lingua/core/call/CustomRequests"
import * as Array from "effect/Array"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { call } from "../client/client.ts"
import * as Input from "../files/input.ts"
import * as Output from "../files/output.ts"
import { InvalidUsage, misuse, misuseIf } from "../settings/errors.ts"
import { argument, checkOnce, optional, text, texts, toggle } from "../settings/flags.ts"
import { command } from "./command.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const isPath = (path: string): path is RequestOptions<unknown>["path"] => path.startsWith("/")

/** Parses flags such as `--query name=value`. */
const pairsOf = (flag: string, separator: string, values: ReadonlyArray<string>) =>
  Effect.forEach(values, (pair) => {
    const at = pair.indexOf(separator)
    const value = pair.slice(at + 1)
    return at > 0
      ? Effect.succeed([pair.slice(0, at).trim(), separator === ":" ? value.trim() : value] as const)
      : misuse(`--${flag} takes name${separator}value`)
  })

/** Parses flags such as `--param name=value`, in which a name has one value. */
const recordOf = Effect.fnUntraced(function*(flag: string, separator: string, values: ReadonlyArray<string>) {
  const pairs = yield* pairsOf(flag, separator, values)
  yield* checkOnce(pairs.map(([name]) => `--${flag} ${name}`))
  return Object.fromEntries(pairs)
})

const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))

const body = {
  data: text("data", "json", "The body, as JSON"),
  dataFile: text("data-file", "file", "A file with the body, - for standard input"),
  contentType: text("content-type", "type", "The type of a body that is not JSON")
}

/** The body: parsed JSON, or a text of the type `contentType`. */
const bodyOf = Effect.fnUntraced(function*({ contentType, data, dataFile }: Command.Command.Config.Infer<typeof body>) {
  yield* misuseIf(data !== undefined && dataFile !== undefined, "--data and --data-file exclude each other")
  const content = dataFile === undefined ? data : yield* Input.fileText(dataFile)
  if (content === undefined || contentType !== undefined) {
    return content === undefined ? undefined : new TextEncoder().encode(content)
  }
  return yield* Effect.mapError(parse(content), () =>
    new InvalidUsage({
      message: `${dataFile ?? "--data"} is not JSON; give the type of another body with --content-type`
    }))
})

/** A JSON response, or an empty body. */
const answer = Schema.UndefinedOr(Schema.Json)

export const request = command("request", {
  examples: {
    "--fake GET /v3/languages --query resource=glossary": "A request that reads",
    [`--fake POST /v3/style_rules --data '{"name": "House style", "language": "en"}'`]:
      "A request that creates; prints the response"
  },
  params: {
    method: Argument.Literals("method", methods).pipe(Argument.withDescription("The method")),
    path: argument("path", "The path below the base address, with its version; a part such as :id is a --param"),
    params: texts("param", "name=value", "The value of a part of the path such as :id"),
    query: texts("query", "name=value", "A parameter of the query"),
    headers: texts("header", "name:value", "A header; never the key, which the client sends itself"),
    ...body,
    repeat: optional(
      Flag.ChoiceWithValue("repeat", [
        ["read", "Read"],
        ["metered", "Metered"],
        ["replace", "Replace"],
        ["create", "Create"]
      ]),
      "The effect of repeating it: by default read for GET, else create, which is not retried if it may have worked"
    ),
    text: toggle("text", "The response is text, not JSON")
  },
  run: Effect.fnUntraced(function*(input) {
    const { contentType, method, path } = input
    if (!isPath(path)) return yield* misuse("the path begins with /, such as /v3/languages")
    const options = {
      method,
      path,
      params: yield* recordOf("param", "=", input.params),
      query: Record.map(
        Array.groupBy(yield* pairsOf("query", "=", input.query), ([name]) => name),
        Array.map(([, value]) => value)
      ),
      headers: yield* recordOf("header", ":", input.headers),
      body: yield* bodyOf(input),
      contentType,
      repeat: input.repeat ?? (method === "GET" ? "Read" : "Create")
    }
    const body = yield* call(
      CustomRequests.use((requests) =>
        requests.send({ ...options, success: input.text ? Schema.String.pipe(HttpApiSchema.asText()) : answer })
      )
    )
    return Output.texts(
      body === undefined ? [] : [body],
      (body) => input.text && typeof body === "string" ? body : JSON.stringify(body, null, 2)
    )
  })
})
