/** The kinds of keys, which differ only in a suffix. */
import type { Failure } from "../../client/internal/failure.ts"
import { AccessDenied, InvalidKey } from "../../client/ServiceError.ts"

/** The same refusal of a key with its kind, if the operation needs a key of the other kind. */
export const explained = (failure: Failure, group: string, key: string): AccessDenied | InvalidKey | undefined => {
  const keyKind = key.endsWith(":adm") ? "admin" : "developer"
  // The kind that a request outside of the contract needs is not known.
  if ((keyKind === "admin") === (group === "Admin") || group === "Requests") return undefined
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  if (failure instanceof AccessDenied) return new AccessDenied({ ...failure, keyKind })
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  return failure instanceof InvalidKey ? new InvalidKey({ ...failure, keyKind }) : undefined
}
