// Runs the program, and a call with the client of `@effect-lingua/node`.
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Effect, Redacted } from "effect"
import { run } from "./program.ts"

const [, , url = "", proxy] = process.argv
const overNode = Writing.use(({ correct }) => correct("teh letter")).pipe(
  Effect.provide(
    NodeLanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl: url,
      journal: "memory",
      pool: proxy === "none" ? { proxy } : {}
    })
  )
)
const { text } = await Effect.runPromise(overNode)
process.stdout.write(JSON.stringify([...(await run(url)), text]))
