/** The command line as a process: its signals and its exit code. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { main } from "./main.ts"
import { exitCodes } from "./screen/failures.ts"

let interruption: number = exitCodes.interrupted
process.once("SIGTERM", () => {
  interruption = exitCodes.terminated
})

NodeRuntime.runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      ? onExit(interruption)
      : Runtime.defaultTeardown(exit, onExit)
})
