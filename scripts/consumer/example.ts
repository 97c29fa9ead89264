// what an application sees: compiled and run against the packed packages by scripts/pack-check.ts
import * as core from "@effect-lingua/core"
import * as node from "@effect-lingua/node"
import * as testing from "@effect-lingua/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const program = Console.log(`ok: ${[core, node, testing].map((barrel) => Object.keys(barrel).length).join(" ")}`)

Effect.runSync(program)
