/** The kinds of keys, which differ only in a suffix. */
import type { Failure } from "../../client/internal/failure.ts"
import type { KeyKind } from "../../client/Operation.ts"
import { AccessDenied, InvalidKey } from "../../client/ServiceError.ts"

/** The same refusal of a key with its kind, if the operation needs a key of the other kind. */
export const explained = (
  failure: Failure,
  required: KeyKind | undefined,
  key: string
): AccessDenied | InvalidKey | undefined => {
  const keyKind = key.endsWith(":adm") ? "admin" : "developer"
  if (required === undefined || required === keyKind) return undefined
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  if (failure instanceof AccessDenied) return new AccessDenied({ ...failure, keyKind })
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  return failure instanceof InvalidKey ? new InvalidKey({ ...failure, keyKind }) : undefined
}
