import * as Localization from "@effect-lingua/localization/Localization"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"

export const services = Layer.merge(FakeLanguageService.layerServices(), NodeServices.layer)

/** A project with files, in a folder of its own. */
export const makeProject = Effect.fnUntraced(function*(
  project: object,
  sources: Readonly<Record<string, string | Uint8Array>>
) {
  const directory = yield* folder
  const { requestsOf } = yield* FakeLanguageService
  const write = (name: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  for (const [name, text] of Object.entries(sources)) write(name, text)
  write("effect-lingua.json", JSON.stringify({ source: "en", targets: ["de"], ...project }))
  const open = (options: Omit<Localization.Options, "file"> = {}) =>
    Localization.open({ file: join(directory, "effect-lingua.json"), ...options })
  const sent = Effect.map(requestsOf("Translation.translate"), (found) => found.map(({ decoded }) => decoded?.payload))
  const files = () =>
    readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && !entry.name.startsWith("effect-lingua") ? [join(entry.parentPath, entry.name)] : []
    ).map((path) => path.slice(directory.length + 1).replaceAll("\\", "/")).toSorted()
  const read = (name: string, encoding: "utf8" | "utf16le" = "utf8") => readFileSync(join(directory, name), encoding)
  return { directory, files, open, read, sent, write }
})
