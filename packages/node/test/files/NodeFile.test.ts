import { TranslationMemories } from "@effect-lingua/core"
import { NodeAtomicFile, NodeFile } from "@effect-lingua/node"
import { FakeLanguageService } from "@effect-lingua/testing"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option, PlatformError, Stream } from "effect"
import { folder } from "../support/documents.ts"

const layer = Layer.merge(FakeLanguageService.layerServices({ readyAfter: 0 }), NodeFileSystem.layer)

describe("NodeFile.content", () => {
  it.live("is the content of an upload", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/manuals.tmx`
      yield* fs.writeFileString(
        file,
        `<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Screw</seg></tuv>` +
          `<tuv xml:lang="de"><seg>Schraube</seg></tuv></tu></body></tmx>`
      )
      const memories = yield* TranslationMemories
      yield* memories.importTmx(yield* NodeFile.content(file))
      const [memory] = yield* Stream.runCollect(memories.list)
      assert.deepInclude(memory, { name: "manuals.tmx", segmentCount: 1 })
    }).pipe(Effect.provide(layer)))

  it.live("names the file that cannot be read, and the operation", () =>
    Effect.gen(function*() {
      const missing = `${yield* folder}/missing.mp3`
      const error = yield* Effect.flip(NodeFile.content(missing))
      assert.deepStrictEqual([error._tag, error.operation], ["SourceUnusable", "NodeFile.content"])
      assert.include(error.message, missing)
      assert.strictEqual((yield* Effect.flip(NodeFile.content("")))._tag, "InvalidInput")
    }).pipe(Effect.provide(layer)))
})

describe("NodeFile.inside", () => {
  it.live("refuses a folder whose name begins like the folder's", () =>
    Effect.gen(function*() {
      const locales = `${yield* folder}/locales`
      assert.isTrue(Option.isNone(yield* NodeFile.inside(locales, "../locales-secret/en.json")))
      assert.isTrue(Option.isSome(yield* NodeFile.inside(locales, "en.json")))
    }).pipe(Effect.provide(Layer.merge(NodePath.layer, NodeFileSystem.layer))))
})

const failing = (method: string) => () =>
  Effect.fail(PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method }))

describe("NodeAtomicFile.write", () => {
  it.live("leaves no empty file under the final name on a disk without hard links whose rename fails", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* folder
      const error = yield* NodeAtomicFile.write(`${directory}/settings.json`, "{}").pipe(
        Effect.provideService(FileSystem.FileSystem, { ...fs, link: failing("link"), rename: failing("rename") }),
        Effect.flip
      )
      assert.include(error.message, "rename")
      assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
    }).pipe(Effect.provide(Layer.merge(NodePath.layer, NodeFileSystem.layer))))
})
