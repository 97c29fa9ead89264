import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { demo } from "./demo.ts"

demo.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
