import { assert, it } from "@effect/vitest"
import { DeepLClient, Translator } from "deepl-node"
import { readFileSync } from "node:fs"

/** Methods that its types declare as private. */
const isPrivate = /^(?:constructor|internal[A-Z].*|append[A-Z].*|build[A-Z].*|constructUserAgentString)$/

it("the guide names each call of deepl-node", () => {
  const guide = readFileSync(new URL("../../../../docs/migrating-from-deepl-node.md", import.meta.url), "utf8")
  const calls = [Translator, DeepLClient].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
  const absent = calls.filter((name) => !isPrivate.test(name) && !new RegExp(`\\b${name}\\b`).test(guide))
  assert.deepStrictEqual(absent, [])
})
