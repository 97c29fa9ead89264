/**
 * A custom command line: the commands of `effect-lingua`, and commands of added resources.
 *
 * `calling` provides a resource's services, over the client or the fake. `command` with `fromEndpoint` creates a command whose parameters, flags
 * and help are derived from an endpoint. `runMain` runs the commands of `effect-lingua` and the added groups. `examples/resource` contains a
 * complete program: a contract, its service, its handlers in the fake, and a command.
 *
 * @since 0.3.0
 */
export { calling, type Resource } from "./client/client.ts"
export { command, fromEndpoint, group, type Options } from "./commands/command.ts"
export { type Results, rows, texts } from "./files/output.ts"
export { type Added, run, runMain } from "./main.ts"
export type { Ended, Failure } from "./screen/failures.ts"
export type {
  BadFile,
  FileUnusable,
  InvalidSetting,
  InvalidUsage,
  NoSuchDocument,
  PipeClosed,
  ProblemsFound
} from "./settings/errors.ts"
