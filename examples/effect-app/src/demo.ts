import { FakeLanguageService } from "@effect-lingua/testing"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { program } from "./program.ts"

program.pipe(Effect.provide([FakeLanguageService.layerServices(), NodeServices.layer]), NodeRuntime.runMain)
