import { Documents } from "@effect-lingua/core/Documents"
import { NodeDocuments } from "@effect-lingua/node/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Cause, Duration, Effect, Exit, Redacted } from "effect"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import { inspect } from "node:util"
export const dir = () => mkdtempSync("/tmp/r1/t-")
export const client = (baseUrl: string, o: any = {}) =>
  NodeLanguageService.layer({
    key: Redacted.make("apikey-SECRET-123"),
    baseUrl,
    journal: o.journal ?? { folder: o.folder ?? dir() },
    resilience: {
      pollBase: Duration.millis(10),
      pollCap: Duration.millis(50),
      backoffBase: Duration.millis(5),
      ...o.resilience
    }
  })
export type H = (req: any, res: any, n: number) => void
export const json = (res: any, status: number, v: any, h = {}) => {
  const b = JSON.stringify(v)
  res.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(b), ...h })
  res.end(b)
}
export const server = async (h: { upload?: H; status?: H; result?: H }) => {
  const count: any = { upload: 0, status: 0, result: 0 }
  const s = createServer((req, res) => {
    const kind = req.url!.endsWith("/result") ? "result" : req.url === "/v2/document" ? "upload" : "status"
    count[kind]++
    const run = () => {
      if (h[kind as "upload"]) return h[kind as "upload"]!(req, res, count[kind])
      if (kind === "upload") return json(res, 200, { document_id: "doc-1", document_key: "KEY-SECRET-456" })
      if (kind === "status") return json(res, 200, { document_id: "doc-1", status: "done", billed_characters: 3 })
      res.writeHead(200, { "content-type": "application/octet-stream" })
      res.end("translated")
    }
    if (kind === "upload" && (h as any).rawUpload) return run()
    req.resume().on("end", run)
  })
  await new Promise<void>((r) => s.listen(0, "127.0.0.1", () => r()))
  return {
    url: `http://127.0.0.1:${(s.address() as any).port}`,
    count,
    s,
    close: () => {
      s.closeAllConnections()
      s.close()
    }
  }
}
export const show = (label: string, exit: any) => {
  const t = Exit.isSuccess(exit) ?
    "OK " + inspect(exit.value, { depth: 4, breakLength: 200 }) :
    exit.cause.reasons.map((r: any) =>
      r._tag === "Fail"
        ? `FAIL ${r.error._tag}: ${r.error.message}`
        : r._tag === "Die"
        ? `DEFECT ${r.defect?.stack?.slice(0, 400) ?? r.defect}`
        : r._tag
    ).join(" | ")
  const leak = /SECRET/.test(t) ||
    /SECRET/.test(inspect(exit, { depth: 20, showHidden: true, getters: true })) && "inspect"
  console.log(`[${label}]${leak ? ` !!LEAK(${leak})` : ""} ${t}`)
}
export const run = async (label: string, url: string, f: any, o: any = {}) => {
  const t = Date.now()
  const exit = await Effect.runPromiseExit(Effect.provide(f, client(url, o)) as any)
  show(`${label} ${Date.now() - t}ms`, exit)
  return exit
}
export const ND = (f: any) => NodeDocuments.use(f as any) as any
export const D = (f: any) => Documents.use(f as any) as any
