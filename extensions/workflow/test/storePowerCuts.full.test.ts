import { DocumentStore } from "@effect-lingua/workflow/DocumentStore"
import * as NodeDocumentStore from "@effect-lingua/workflow/NodeDocumentStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { cutEverywhere, type Disk, on } from "../../../packages/node/test/support/powerCut.ts"

const contentOf = (path: string) => existsSync(path) ? readFileSync(path, "utf8") : undefined

const bytes = (text: string) => new TextEncoder().encode(text)

describe("what a store promises outlasts a cut of the power at any moment", () => {
  it.live("a translation in a store is whole, and its target belongs to the one who claimed it", () =>
    cutEverywhere(Effect.fnUntraced(function*(disk: Disk) {
      const directory = yield* folder
      const translation = "A translation in several parts"
      const done: Array<string> = []
      const layer = NodeDocumentStore.layer({ folder: directory })
      return {
        program: DocumentStore.use(Effect.fnUntraced(function*(store) {
          yield* store.claim("out/de/letter.txt", "one")
          done.push("claimed")
          yield* store.write(
            "out/de/letter.txt",
            Stream.make(bytes(translation.slice(0, 9)), bytes(translation.slice(9)))
          )
          done.push("written")
        })).pipe(Effect.provide(on(disk)(layer), { local: true })),
        check: () =>
          DocumentStore.use(Effect.fnUntraced(function*(store) {
            const content = contentOf(join(directory, "out/de/letter.txt"))
            assert.oneOf(content, done.includes("written") ? [translation] : [undefined, translation])
            const part = yield* store.part("out/de/letter.txt")
            if (content === undefined && part?.size === translation.length) {
              yield* store.complete("out/de/letter.txt")
              assert.strictEqual(contentOf(join(directory, "out/de/letter.txt")), translation)
            }
            const claim = yield* Effect.result(store.claim("out/de/letter.txt", "two"))
            if (claim._tag === "Failure") assert.deepInclude<object>(claim.failure, { claimedBy: "one" })
            else assert.notInclude(done, "claimed")
            // The execution goes on, and ends.
            yield* store.release("out/de/letter.txt", "two")
            yield* store.claim("out/de/letter.txt", "one")
            yield* store.release("out/de/letter.txt", "one")
            const left = readdirSync(join(directory, "out/de"))
            assert.deepStrictEqual(left.filter((name) => name.includes("claim")), [])
          })).pipe(Effect.provide(layer, { local: true }))
      }
    })))
})
