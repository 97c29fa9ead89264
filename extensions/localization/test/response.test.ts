import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkResponse } from "../src/formats/internal/comparison.ts"

describe("a translation", () => {
  it.each<[source: string, translation: string, result: string, isXml?: boolean]>([
    ["Tom &amp; Tim", "Tom & Tim.", "Tom &amp; Tim."],
    ["One&nbsp;page", "Eine\u00a0Seite", "Eine&nbsp;Seite"],
    ["Page 1", "Seite&nbsp;1", "Seite\u00a01"],
    ["Tom & Tim", "Tom &amp; Tim.", "Tom & Tim."],
    ["One&nbsp;page", "Eine&nbsp;Seite &quot;1&quot;", "Eine&nbsp;Seite \"1\""],
    ["One&nbsp;page", "Eine&nbsp;Seite &amp; mehr", "its entity &amp; is added in the translation"],
    ["<b>One</b> page", "Eine Seite", "its tag <b> is lost in the translation"],
    ["One <x/>", "Eins & zwei <x/>", "Eins &amp; zwei <x/>", true],
    [`<x a="1 & 2"/>`, `<x a="1 & 2"/>.`, `<x a="1 & 2"/>.`, true]
  ])("%j, translated as %j, is %j", (source, translation, result, isXml = false) => {
    assert.strictEqual(Result.merge(checkResponse(source, translation, { isXml, syntax: "printf" })), result)
  })
})
