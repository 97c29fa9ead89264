/** The command line as a process: its signals and its exit code. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { type Added, main } from "./main.ts"
import { exitCodes } from "./screen/failures.ts"

/**
 * Runs the command line with the arguments of the process, and ends the process with its exit code.
 *
 * @since 0.3.0
 */
export const runMain = (added?: Added): void => {
  let interruption: number = exitCodes.interrupted
  process.once("SIGTERM", () => {
    interruption = exitCodes.terminated
  })
  NodeRuntime.runMain(main(added), {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? onExit(interruption)
        : Runtime.defaultTeardown(exit, onExit)
  })
}
