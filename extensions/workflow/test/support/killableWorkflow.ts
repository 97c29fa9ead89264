// Run as a process of its own: works on a document by a workflow until that is done or it is killed at a step.
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { type Order, translate } from "./durable.ts"

const order: Order = JSON.parse(process.argv[2] ?? "")

const failures = await Effect.runPromise(
  Effect.match(translate(order), { onSuccess: () => [], onFailure: (error) => [error] })
)
writeSync(1, failures.map(({ _tag, message }) => `${_tag}: ${message}\n`).join(""))
