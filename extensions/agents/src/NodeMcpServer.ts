/**
 * A Model Context Protocol server with the tools of `LanguageToolkit`, on standard input and output or over HTTP. The command `effect-lingua mcp`
 * runs this server with the command line's settings.
 *
 * @since 0.3.0
 */
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as LanguageToolkit from "./LanguageToolkit.ts"

/**
 * An MCP server's version and tools.
 *
 * @category options
 * @since 0.3.0
 */
export interface Options {
  /** The version that the server reports to its clients. */
  readonly version: string
  /** Adds the tools that create and delete glossaries. Default: false. */
  readonly allowChanges?: boolean | undefined
  /** Adds a tool that translates documents in this folder only. */
  readonly documents?: string | undefined
}

const documentTools = Toolkit.make(
  Tool.make("translate_document", {
    description:
      "Translates a document of the allowed folder, and writes the translation next to it. Counts characters, at least " +
      "50,000 for office files and PDF.",
    parameters: Schema.Struct({
      path: Schema.String.annotate({ description: "The path of the document, relative to the folder" }),
      target_language: LanguageToolkit.toolkit.tools.translate.parametersSchema.fields.target_language
    }),
    success: Schema.Struct({ path: Schema.String }),
    failure: LanguageToolkit.Failure
  }).annotate(Tool.Destructive, false).annotate(Tool.Idempotent, false)
)

const refused = (message: string): typeof LanguageToolkit.Failure.Type => ({
  error: "NotAllowed",
  message,
  may_succeed_later: false
})

const layerDocuments = (folder: string) =>
  documentTools.toLayer(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const documents = yield* NodeDocuments
    return {
      translate_document: Effect.fnUntraced(function*({ path: given, target_language }) {
        const outside = refused(`${given} is not in the allowed folder. Name a file by its path in that folder.`)
        // Symbolic links are resolved first, because a link may lead out of the folder.
        const root = yield* Effect.mapError(fs.realPath(folder), () => refused("The allowed folder cannot be read."))
        const source = yield* Effect.mapError(
          fs.realPath(path.resolve(root, given)),
          (error) =>
            error.reason._tag === "NotFound"
              ? refused(`There is no file ${given} in the allowed folder.`)
              : refused(`${given} cannot be read: ${error.reason._tag}.`)
        )
        const relative = path.relative(root, source)
        if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) {
          return yield* Effect.fail(outside)
        }
        const saved = yield* Effect.mapError(
          documents.translate({ source, targetLanguage: target_language }),
          LanguageToolkit.failureOf
        )
        return { path: path.relative(root, saved.path) }
      })
    }
  }))

const definition = ({ allowChanges = false, documents, version }: Options) => ({
  name: "effect-lingua",
  version,
  instructions:
    "Translates and improves texts with a language service. Calls count characters, which cost money: send each text once.",
  protocols: [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18] as const,
  registrations: Layer.mergeAll(
    Layer.provide(McpServer.toolkit(LanguageToolkit.toolkit), LanguageToolkit.layer),
    allowChanges
      ? Layer.provide(McpServer.toolkit(LanguageToolkit.changes), LanguageToolkit.layerChanges)
      : Layer.empty,
    documents === undefined
      ? Layer.empty
      : Layer.provide(McpServer.toolkit(documentTools), layerDocuments(documents))
  )
})

const parse = Option.liftThrowable((line: string): unknown => JSON.parse(line))

/** Returns the JSON-RPC error for a line that is not a message, otherwise undefined. */
const rejected = (line: string): object | undefined =>
  Option.match(parse(line), {
    onNone: () => ({ code: -32_700, message: "Parse error: a line is not JSON" }),
    // Effect's server handles batches.
    onSome: (message) =>
      Array.isArray(message) || ["method", "result", "error"].some((name) => hasProperty(message, name))
        ? undefined
        : { code: -32_600, message: "Invalid Request: a line is not a message" }
  })

/** Answers lines that are not JSON-RPC messages, because such lines would end Effect's server. */
const layerLines = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) => {
    const answer = (error: object) =>
      Stream.run(
        Stream.make(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`),
        stdio.stdout({ endOnDone: false })
      )
    const stdin = stdio.stdin.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.filterEffect((line) => {
        if (line.trim() === "") return Effect.succeed(false)
        const error = rejected(line)
        return error === undefined ? Effect.succeed(true) : Effect.as(answer(error), false)
      }),
      Stream.map((line) => `${line}\n`),
      Stream.encodeText
    )
    return Stdio.Stdio.of({ ...stdio, stdin })
  })
)

/**
 * Serves the tools on standard input and output until the input ends. Answers a line that is not a message with a JSON-RPC error.
 *
 * @category constructors
 * @since 0.3.0
 */
export const serve = Effect.fnUntraced(function*(options: Options) {
  const server = Layer.launch(Layer.provide(McpServer.layerStdio(definition(options)), layerLines))
  // When the input ends, the server interrupts its fiber: interruption is a success.
  const exit = yield* Effect.flatMap(Effect.forkChild(server), Fiber.await)
  if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) return yield* Effect.orDie(exit)
})

/**
 * Serves the tools over HTTP at a path of the router.
 *
 * **Gotchas**
 *
 * The server checks no credentials: listen on the loopback address, behind a proxy that checks a token.
 *
 * @category layers
 * @since 0.3.0
 */
export const layerHttp = (options: Options & { readonly path: HttpRouter.PathInput }) =>
  Layer.orDie(McpServer.layerHttp({ ...definition(options), path: options.path, allowSessionTermination: true }))
