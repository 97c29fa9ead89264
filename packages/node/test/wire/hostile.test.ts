// Hostile responses on raw sockets. Each row of the table is a name, a call, the bytes that it meets, and its outcome.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sampled } from "../../../../test/support/scale.ts"
import { bodies } from "./bodies.ts"
import { documents } from "./documents.ts"
import { framing } from "./framing.ts"
import { headers } from "./headers.ts"
import { sameBytes } from "./kinds.ts"
import { statuses } from "./statuses.ts"
import { check, type Row } from "./table.ts"
import { time } from "./time.ts"
import { overTls } from "./tls.ts"

const table: Readonly<Record<string, ReadonlyArray<Row>>> = {
  framing,
  headers,
  statuses,
  bodies,
  time,
  documents,
  TLS: overTls,
  "the same bytes for every kind": sameBytes
}

describe.concurrent.each(Object.entries(table))("hostile responses: %s", (_, rows) => {
  for (const row of sampled(rows, 4)) it.live(`${row[1].operation}: ${row[0]}`, () => Effect.scoped(check(row)))
})

describe("the table of hostile responses", () => {
  it("has a hundred rows and more, none of them twice", () => {
    const names = Object.entries(table).flatMap(([part, rows]) =>
      rows.map(([name, { operation }]) => `${part}: ${operation}: ${name}`)
    )
    assert.isAtLeast(names.length, 100)
    assert.strictEqual(new Set(names).size, names.length)
  })
})
