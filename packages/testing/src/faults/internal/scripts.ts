import type { Fault, OperationName } from "../Fault.ts"
import type { Script } from "../Script.ts"
import { mismatch } from "./kinds.ts"
import { operationsOf } from "./operations.ts"

export interface Playing {
  readonly script: Script
  readonly operations: ReadonlyArray<OperationName>
  readonly limit: number
  counted: number
  played: number
}

export const begin = (script: Script): Playing => ({
  script,
  operations: operationsOf(script.operation),
  limit: script.count ?? (script.every === undefined ? 1 : Infinity),
  counted: 0,
  played: 0
})

const concerns = ({ limit, operations, script }: Playing, operation: OperationName): boolean =>
  limit === 0
    ? false
    : operations.length === 0
    ? mismatch(script.fault, operation) === undefined
    : operations.includes(operation)

/** The fault of the first script that is due. This script and earlier scripts count the call. */
export const take = (scripts: Array<Playing>, operation: OperationName): Fault | undefined => {
  for (const [index, playing] of scripts.entries()) {
    if (!concerns(playing, operation)) continue
    const { limit, script: { every = 1, fault, skip = 0 } } = playing
    playing.counted += 1
    if (playing.counted <= skip || (playing.counted - skip) % every !== 0) continue
    playing.played += 1
    if (playing.played === limit) scripts.splice(index, 1)
    return fault
  }
  return undefined
}

const remainder = ({ counted, limit, played, script: { count, skip, ...script } }: Playing): Script => ({
  ...script,
  ...(count === undefined ? undefined : { count: limit - played }),
  ...(skip === undefined ? undefined : { skip: Math.max(0, skip - counted) })
})

/** Unfinished scripts. A script without a limit is finished once played. */
export const left = (scripts: ReadonlyArray<Playing>): ReadonlyArray<Script> =>
  scripts.filter(({ limit, played }) => limit === Infinity ? played === 0 : limit > 0).map(remainder)
