/** The server, configured by the environment. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Layer } from "effect"
import * as Server from "./server.ts"

Layer.launch(Server.layer).pipe(NodeRuntime.runMain)
