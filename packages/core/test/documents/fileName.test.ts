import { Documents } from "@effect-lingua/core/documents/Documents"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sample, Wire } from "../support/index.ts"

/** What a header suggests. */
const names: ReadonlyArray<readonly [header: string, name: string | undefined]> = [
  [`attachment; filename="report.pdf"`, "report.pdf"],
  [`attachment; filename=report.pdf`, "report.pdf"],
  [`attachment;filename=report.pdf;size=3`, "report.pdf"],
  [`ATTACHMENT; FILENAME="Report.PDF"`, "Report.PDF"],
  [`attachment; filename = "a b; c.pdf" ; size=3`, "a b; c.pdf"],
  [`attachment; filename="a \\"b\\".pdf"`, "a \"b\".pdf"],
  [`attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%F0%9F%98%80.pdf`, "Grüße 😀.pdf"],
  [`attachment; filename="plain.pdf"; filename*=utf-8''besser.pdf`, "besser.pdf"],
  [`attachment; filename*=utf-8'en'better.pdf; filename="plain.pdf"`, "better.pdf"],
  [`attachment; filename*=UTF-8''100%zz.pdf; filename="plain.pdf"`, "plain.pdf"],
  [`attachment; filename*=ISO-8859-1''a%FC.pdf; filename="plain.pdf"`, "plain.pdf"],
  [`attachment; filename="../../etc/passwd"`, "passwd"],
  [`attachment; filename="..\\\\..\\\\boot.ini"`, "boot.ini"],
  [`attachment; filename="/etc/passwd"`, "passwd"],
  [`attachment; filename="C:\\\\windows\\\\a.dll"`, "a.dll"],
  [`attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, "passwd"],
  [`attachment; filename*=UTF-8''..%5C..%5Cboot.ini`, "boot.ini"],
  [`attachment; filename*=UTF-8''a%00%0D%0Ab.pdf`, "ab.pdf"],
  [`attachment; filename=".."`, undefined],
  [`attachment; filename="."`, undefined],
  [`attachment; filename="a/"`, undefined],
  [`attachment; filename=""`, undefined],
  [`attachment; filename="  "`, undefined],
  [`attachment; filename*=UTF-8''%00`, undefined],
  [`attachment`, undefined],
  [`inline; name="x.pdf"`, undefined]
]

describe("fileName", () => {
  it.effect.each(names)("of %s is %s", ([header, name]) =>
    Effect.gen(function*() {
      const { fileName } = yield* Documents.use((documents) => documents.download(Sample.document))
      assert.strictEqual(fileName, name)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, "a", { "content-disposition": header })]))))

  it.effect("is absent without the header", () =>
    Effect.gen(function*() {
      const download = yield* Documents.use((documents) => documents.download(Sample.document))
      assert.notProperty(download, "fileName")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, "a")]))))
})
