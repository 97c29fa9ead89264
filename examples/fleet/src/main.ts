import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { translate } from "./fleet.ts"
import { hasPostgres } from "./postgres.ts"

const program = hasPostgres
  ? Effect.flatMap(translate(20), (lines) => Console.log(lines.join("\n")))
  : Console.error("This needs PostgreSQL: apt-get install postgresql")

NodeRuntime.runMain(program)
