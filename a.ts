import { Effect, Redacted } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { D, dir, json, ND, run, server } from "./lib.ts"
const s = await server({ status: (q, r) => json(r, 404, { message: "not found" }), result: (q, r) => json(r, 404, {}) })
const d = dir(), j = dir()
writeFileSync(d + "/a.txt", "hello")
const id = "doc-1"
// 3: wrong key overwrites
{
  const o = { folder: j }
  await run("upload", s.url, ND((n: any) => n.upload({ path: d + "/a.txt", targetLanguage: "de" })), o)
  console.log(readdirSync(j), readFileSync(j + "/document-doc-1.json", "utf8").slice(0, 400))
  await run(
    "downloadToFile wrong key",
    s.url,
    ND((n: any) => n.downloadToFile({ documentId: id, documentKey: Redacted.make("WRONG"), path: d + "/o.txt" })),
    o
  )
  console.log(readFileSync(j + "/document-doc-1.json", "utf8").slice(0, 500))
}
// good server now, same host => account switch simulated
let gone = true
const s2 = await server({
  status: (q, r) => gone ? json(r, 404, { message: "nope" }) : json(r, 200, { document_id: id, status: "done" })
})
{
  const o = { folder: dir() }
  await run("upload", s2.url, ND((n: any) => n.upload({ path: d + "/a.txt", targetLanguage: "de" })), o)
  await run("resume w/ other account (404)", s2.url, ND((n: any) => n.resume(id, { folder: d })), o)
  gone = false
  await run("resume w/ right account", s2.url, ND((n: any) => n.resume(id, { folder: d })), o)
  await run("core resume", s2.url, D((n: any) => n.resume(id)), o)
}
s.close()
s2.close()
// wrong inputs
const s3 = await server({})
const bad: any = {
  "translate()": (n: any) => n.translate(),
  "translate({})": (n: any) => n.translate({}),
  "translate path 5": (n: any) => n.translate({ path: 5, targetLanguage: "de" }),
  "translate no lang": (n: any) => n.translate({ path: d + "/a.txt" }),
  "translate lang 5": (n: any) => n.translate({ path: d + "/a.txt", targetLanguage: 5 }),
  "translate lang ../x": (n: any) => n.translate({ path: d + "/a.txt", targetLanguage: "../x" }),
  "translate target+folder": (n: any) =>
    n.translate({ path: d + "/a.txt", targetLanguage: "de", target: "x", folder: "y" }),
  "translate target 5": (n: any) => n.translate({ path: d + "/a.txt", targetLanguage: "de", target: 5 }),
  "translate overwrite 'yes'": (n: any) =>
    n.translate({ path: d + "/a.txt", targetLanguage: "de", target: d + "/q", overwrite: "yes" }),
  "translate rescueFolder 5": (n: any) =>
    n.translate({ path: d + "/a.txt", targetLanguage: "de", target: d + "/q2", rescueFolder: 5 }),
  "translate fileName 5": (n: any) =>
    n.translate({ path: d + "/a.txt", targetLanguage: "de", target: d + "/q3", fileName: 5 }),
  "translate NUL path": (n: any) => n.translate({ path: d + "/a\0.txt", targetLanguage: "de" }),
  "translate NUL target": (n: any) => n.translate({ path: d + "/a.txt", targetLanguage: "de", target: d + "/a\0" }),
  "translate dir": (n: any) => n.translate({ path: d, targetLanguage: "de" }),
  "translate /dev/zero": (n: any) => n.translate({ path: "/dev/zero", targetLanguage: "de" }),
  "translate onto itself": (n: any) => n.translate({ path: d + "/a.txt", targetLanguage: "de", target: d + "/a.txt" }),
  "downloadToFile {}": (n: any) => n.downloadToFile({}),
  "downloadToFile()": (n: any) => n.downloadToFile(),
  "downloadToFile no id": (n: any) => n.downloadToFile({ documentKey: Redacted.make("k"), path: d + "/z" }),
  "downloadToFile id 5": (n: any) =>
    n.downloadToFile({ documentId: 5, documentKey: Redacted.make("k"), path: d + "/z" }),
  "downloadToFile id ..": (n: any) =>
    n.downloadToFile({ documentId: "..", documentKey: Redacted.make("k"), path: d + "/z" }),
  "downloadToFile key str": (n: any) =>
    n.downloadToFile({ documentId: "x", documentKey: "key-SECRET", path: d + "/z" }),
  "downloadToFile key redacted 5": (n: any) =>
    n.downloadToFile({ documentId: "x", documentKey: Redacted.make(5), path: d + "/z" }),
  "downloadToFile both": (n: any) =>
    n.downloadToFile({ documentId: "x", documentKey: Redacted.make("k"), path: d + "/z", folder: d }),
  "resume()": (n: any) => n.resume(),
  "resume null": (n: any) => n.resume(null),
  "resume unknown": (n: any) => n.resume("nope"),
  "resume 5": (n: any) => n.resume(5),
  "resume null opts": (n: any) => n.resume("nope", null),
  "upload()": (n: any) => n.upload(),
  "upload long name": (n: any) =>
    n.upload({ path: d + "/a.txt", targetLanguage: "de", fileName: "a".repeat(100000) + ".txt" })
}
for (const [k, f] of Object.entries(bad)) await run(k, s3.url, ND(f))
const c = new TextEncoder().encode("x")
const badCore: any = {
  "upload()": (n: any) => n.upload(),
  "upload {}": (n: any) => n.upload({}),
  "upload string": (n: any) => n.upload({ fileName: "a.txt", content: "text", targetLanguage: "de" }),
  "upload Buffer": (n: any) => n.upload({ fileName: "a.txt", content: Buffer.from("x"), targetLanguage: "de" }),
  "translate null": (n: any) => n.translate(null),
  "status()": (n: any) => n.status(),
  "status {}": (n: any) => n.status({}),
  "status key string": (n: any) => n.status({ documentId: "x", documentKey: "SECRETX" }),
  "wait {}": (n: any) => n.wait({}),
  "wait key": (n: any) => n.wait({ documentId: "x", documentKey: "SECRETX" }),
  "download {}": (n: any) => n.download({}),
  "download key str": (n: any) => n.download({ documentId: "x", documentKey: "SECRETX" }),
  "resume()": (n: any) => n.resume(),
  "forget()": (n: any) => n.forget(),
  "forget ghost": (n: any) => n.forget("ghost"),
  "upload lang 5": (n: any) => n.upload({ fileName: "a.txt", content: c, targetLanguage: 5 }),
  "upload formality x": (n: any) => n.upload({ fileName: "a.txt", content: c, targetLanguage: "de", formality: "x" }),
  "upload size wrong type": (n: any) => n.upload({ fileName: "a.txt", content: c, size: "5", targetLanguage: "de" }),
  "upload target junk": (n: any) =>
    n.upload({ fileName: "a.txt", content: c, target: "x", source: 5, targetLanguage: "de" })
}
for (const [k, f] of Object.entries(badCore)) await run("core " + k, s3.url, D(f))
s3.close()
