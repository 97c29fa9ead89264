import * as Tenant from "@effect-lingua/core/limits/Tenant"
import * as Effect from "effect/Effect"
import { call } from "../client/client.ts"
import { count, text, toggle } from "../settings/flags.ts"
import { version } from "../settings/version.ts"
import { writing } from "./command.ts"

export const mcp = writing("mcp", {
  examples: { "--fake": "With the embedded fake, to try a client" },
  params: {
    characters: count("characters", "The most characters that this session may count; unlimited by default"),
    allowChanges: toggle("allow-changes", "Add the tools that create and delete glossaries"),
    documents: text("documents", "folder", "Add a tool that translates documents in this folder, and no others")
  },
  run: Effect.fnUntraced(function*({ characters: characterBudget, ...tools }) {
    const { serve } = yield* Effect.promise(() => import("@effect-lingua/agents/NodeMcpServer"))
    const tenant = yield* Effect.orDie(Tenant.make({ name: "session", characterBudget }))
    return yield* Tenant.within(call(serve({ version, ...tools })), tenant)
  })
})
