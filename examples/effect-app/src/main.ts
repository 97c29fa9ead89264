import { NodeLanguageService } from "@effect-lingua/node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { program } from "./program.ts"

program.pipe(Effect.provide([NodeLanguageService.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
