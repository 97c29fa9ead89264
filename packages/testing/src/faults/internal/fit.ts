/** The faults that an operation can have. */
import type { Fault, OperationName } from "../Fault.ts"
import { bodyOf, resultsOf, starting } from "./operations.ts"
import { list } from "./schema.ts"

/** The reason why an operation cannot have a fault: its responses have no such body. */
export const misfit = (fault: Fault, operation: OperationName): string | undefined => {
  const body = bodyOf(operation)
  if (("truncated" in fault || "stalled" in fault) && body === "none") {
    return `The responses of ${operation} have no body that could break off.`
  }
  if ("malformed" in fault && body !== "json") {
    return `The responses of ${operation} have no JSON that could be malformed.`
  }
  if ("jobFails" in fault && !starting.includes(operation)) {
    return `${operation} starts no work that could fail later. ${list(starting, "and")} do.`
  }
  return "wrongLength" in fault && resultsOf[operation] === undefined
    ? `The responses of ${operation} have no results to count. Those of ${list(Object.keys(resultsOf), "and")} do.`
    : undefined
}
