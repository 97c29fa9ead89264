// The error classes that the library exports.
import * as Core from "@effect-lingua/core"
import * as Node from "@effect-lingua/node"
import { Schema } from "effect"

/**
 * The errors that no call fails with: of a wrong setup, which ends a program at its start, of a codec of messages, and of a server that
 * reports a failed call to its own callers.
 */
const ofNoCall = new Set(["InvalidConfiguration", "UnreadableFrame", "HttpApiProblem"])

const isErrorClass = (value: unknown): value is Schema.Codec<Error, unknown> & { readonly name: string } =>
  typeof value === "function" && value.prototype instanceof Error && Schema.isSchema(value)

/** All error classes of calls, by their names. */
export const classes = new Map(
  [...Object.values(Core), ...Object.values(Node)]
    .flatMap((module): ReadonlyArray<unknown> => Object.values(module))
    .filter(isErrorClass)
    .filter(({ name }) => !ofNoCall.has(name))
    .map((Class) => [Class.name, Class])
)
