// Every operation as the service method that calls it.
import type { Admin, Documents, LanguageService, LanguageServiceApi } from "@effect-lingua/core"
import { Fault, type Generators } from "@effect-lingua/testing"
import { Effect, Schema, Stream } from "effect"
import { call, contract } from "../../../core/test/support/operations.ts"

type Calls = {
  readonly [Name in LanguageServiceApi.OperationName]: (
    request: Generators.Request<Name>
  ) => Effect.Effect<unknown, Generators.Failure<Name>, Admin | LanguageService.LanguageService>
}

/** The names of all operations. */
export const operations: ReadonlyArray<LanguageServiceApi.OperationName> = contract.map(({ operation }) => operation)
  .filter(
    (name): name is LanguageServiceApi.OperationName => Schema.is(Fault.OperationName)(name)
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
