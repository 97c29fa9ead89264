// The error classes that the library exports.
import { Schema } from "effect"
import { globSync } from "node:fs"
import { resolve } from "node:path"

/**
 * The errors that no call fails with: of a wrong setup, which ends a program at its start, of a codec of messages, and of a server that
 * reports a failed call to its own callers.
 */
const ofNoCall = new Set(["InvalidConfiguration", "UnreadableFrame", "HttpApiProblem"])

const isErrorClass = (value: unknown): value is Schema.Codec<Error, unknown> & { readonly name: string } =>
  typeof value === "function" && value.prototype instanceof Error && Schema.isSchema(value)

const modules: ReadonlyArray<Record<string, unknown>> = await Promise.all(
  globSync("packages/{core,node}/src/**/[A-Z]*.ts", { exclude: (file) => file === "internal" })
    .map((file) => import(resolve(file)))
)

/** All error classes of calls, by their names. */
export const classes = new Map(
  modules
    .flatMap((module) => Object.values(module))
    .filter(isErrorClass)
    .filter(({ name }) => !ofNoCall.has(name))
    .map((Class) => [Class.name, Class])
)
