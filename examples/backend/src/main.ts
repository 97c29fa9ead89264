/** Runs the server, configured by environment variables and container secrets. A signal ends the process with exit code 0. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Config, ConfigProvider, Effect, Exit, Layer, Runtime } from "effect"
import * as Server from "./server.ts"

const secrets = Config.String("SECRETS_FOLDER").pipe(
  Config.withDefault("/run/secrets"),
  Effect.flatMap((rootPath) => ConfigProvider.fromDir({ rootPath })),
  ConfigProvider.layerAdd,
  Layer.provide(NodeServices.layer)
)

NodeRuntime.runMain(Layer.launch(Layer.provide(Server.layer, secrets)), {
  teardown: (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
})
