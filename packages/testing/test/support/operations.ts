// Every operation as the service method that calls it.
import type { Admin, Documents } from "@effect-lingua/core"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { OperationName } from "@effect-lingua/core/LanguageServiceApi"
import { Fault, type Generators } from "@effect-lingua/testing"
import { Effect, Schema, Stream } from "effect"
import { call, contract } from "../../../core/test/support/operations.ts"

type Calls = {
  readonly [Name in OperationName]: (
    request: Generators.Request<Name>
  ) => Effect.Effect<unknown, Generators.Failure<Name>, Admin | LanguageService>
}

/** The names of all operations. */
export const operations: ReadonlyArray<OperationName> = contract.map(({ operation }) => operation).filter(
  (name): name is OperationName => Schema.is(Fault.OperationName)(name)
)

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a service has the name of its group, and a method that of its endpoint
const methods = Object.fromEntries(
  operations.map((name) => [name, (request: unknown) => call(name, request)])
) as unknown as Calls

const isDownload = (value: unknown): value is Documents.Download =>
  typeof value === "object" && value !== null && "stream" in value

export const calls: Calls = {
  ...methods,
  "Documents.download": (request) =>
    Effect.flatMap(
      methods["Documents.download"](request),
      (value) => isDownload(value) ? Stream.runCollect(value.stream) : Effect.die("a download has a stream")
    )
}
