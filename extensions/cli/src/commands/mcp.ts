/** `mcp`. */
import * as Tenant from "@effect-lingua/core/limits/Tenant"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../client/client.ts"
import { misuseIf } from "../settings/errors.ts"
import { count, optional, text, toggle } from "../settings/flags.ts"
import { version } from "../settings/version.ts"
import { writing } from "./command.ts"

const server = Effect.promise(() => import("@effect-lingua/agents/NodeMcpServer"))
const http = Effect.promise(() => import("../client/mcpHttp.ts"))

/** Serves tools to a program with a language model. */
export const mcp = writing("mcp", {
  examples: { "--fake": "With the embedded fake, to try a client" },
  params: {
    characters: count("characters", "The most characters that this session may count; unlimited by default"),
    allowChanges: toggle("allow-changes", "Add the tools that create and delete glossaries"),
    http: toggle("http", "Serve over HTTP on this machine, to programs that have the token"),
    port: optional(
      Flag.Int("port").pipe(
        Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
        Flag.withMetavar("number")
      ),
      "The port of --http; a free one by default"
    ),
    documents: text("documents", "folder", "Add a tool that translates documents in this folder, and no others")
  },
  run: Effect.fnUntraced(function*(options) {
    const { allowChanges, characters: characterBudget, documents, port } = options
    yield* misuseIf(port !== undefined && !options.http, "--port needs --http")
    const { layerHttp, serve } = yield* server
    const tools = { version, allowChanges, documents }
    const overHttp = Effect.flatMap(http, ({ path, serve }) => serve(layerHttp({ ...tools, path }), port ?? 0))
    const tenant = yield* Effect.orDie(Tenant.make({ name: "session", characterBudget }))
    return yield* Effect.provideService(call(options.http ? overHttp : serve(tools)), Tenant.Current, tenant)
  })
})
