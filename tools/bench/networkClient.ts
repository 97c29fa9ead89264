/** A process that makes calls or transfers a document over a network. Argument: `NetworkOrder`, as JSON. */
import { DocumentId, DocumentKey } from "@effect-lingua/core/contract/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import Undici from "@effect/platform-node/Undici"
import { DeepLClient } from "deepl-node"
import { Effect, ManagedRuntime, Redacted, Stream } from "effect"
import { createWriteStream, openAsBlob } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { type NetworkKind, type NetworkOrder, type NetworkWork, onMessage, sendToParent } from "./protocol.ts"

const order: NetworkOrder = JSON.parse(process.argv[2] ?? "{}")
const source = join(order.folder, "source.txt")
const target = join(order.folder, `target-${process.pid}`)

interface Client {
  readonly call: () => Promise<unknown>
  readonly upload: () => Promise<unknown>
  readonly download: (bytes: number) => Promise<unknown>
}

const headers = { authorization: "Key key" }
const json = { ...headers, "content-type": "application/json" }
const texts = JSON.stringify({ text: ["Good."], target_lang: "DE" })
const key = JSON.stringify({ document_key: "k" })

const form = async () => {
  const form = new Undici.FormData()
  form.append("target_lang", "DE")
  form.append("file", await openAsBlob(source), "source.txt")
  return form
}

const ours = (): Client => {
  const runtime = ManagedRuntime.make(
    NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: order.url, journal: "memory" })
  )
  return {
    call: () =>
      runtime.runPromise(Translation.use(({ translate }) => translate({ text: ["Good."], targetLanguage: "de" }))),
    upload: async () => {
      const content = await openAsBlob(source)
      return runtime.runPromise(
        Documents.use(({ upload }) => upload({ fileName: "source.txt", content, targetLanguage: "de" }))
      )
    },
    download: (bytes) =>
      runtime.runPromise(Documents.use(({ download }) =>
        Effect.scoped(Effect.flatMap(
          download({ documentId: DocumentId.make(String(bytes)), documentKey: DocumentKey.make(Redacted.make("k")) }),
          ({ stream }) => Effect.promise(() => pipeline(Stream.toAsyncIterable(stream), createWriteStream(target)))
        ))
      ))
  }
}

const undici = (options: Undici.Agent.Options): Client => {
  const dispatcher = new Undici.Agent(options)
  const post = async (path: string, headers: Record<string, string>, body: string | Undici.FormData) => {
    const response = await Undici.request(`${order.url}${path}`, { dispatcher, method: "POST", headers, body })
    return response.body
  }
  return {
    call: async () => (await post("/v2/translate", json, texts)).json(),
    upload: async () => (await post("/v2/document", headers, await form())).json(),
    download: async (bytes) =>
      pipeline(await post(`/v2/document/${bytes}/result`, json, key), createWriteStream(target))
  }
}

const withFetch: Client = {
  // @effect-diagnostics-next-line globalFetch:off
  call: async () => (await fetch(`${order.url}/v2/translate`, { method: "POST", headers: json, body: texts })).json(),
  upload: async () => {
    const body = new FormData()
    body.append("file", await openAsBlob(source), "source.txt")
    // @effect-diagnostics-next-line globalFetch:off
    return (await fetch(`${order.url}/v2/document`, { method: "POST", headers, body })).json()
  },
  download: async (bytes) => {
    const init = { method: "POST", headers: json, body: key }
    // @effect-diagnostics-next-line globalFetch:off
    const { body } = await fetch(`${order.url}/v2/document/${bytes}/result`, init)
    if (body !== null) await pipeline(body, createWriteStream(target))
  }
}

const deepl = (): Client => {
  const client = new DeepLClient("key", { serverUrl: order.url })
  return {
    call: () => client.translateText(["Good."], null, "de"),
    upload: () => client.uploadDocument(source, null, "de"),
    download: (bytes) =>
      client.downloadDocument({ documentId: String(bytes), documentKey: "k" }, createWriteStream(target))
  }
}

const clients: Readonly<Record<NetworkKind, () => Client>> = {
  "this library": ours,
  undici: () => undici({ allowH2: false }),
  "undici, HTTP/2": () => undici({ allowH2: true, connections: 1, pipelining: 100 }),
  fetch: () => withFetch,
  "deepl-node": deepl
}

const client = clients[order.kind]()

/** Does the work, and returns the number of failed calls. */
const run = async (work: NetworkWork): Promise<number> => {
  if (work.what !== "calls") {
    await (work.what === "upload" ? client.upload() : client.download(work.bytes))
    return 0
  }
  let left = work.calls
  let failed = 0
  await Promise.all(Array.from({ length: work.inFlight }, async () => {
    while (left-- > 0) {
      // oxlint-disable-next-line no-await-in-loop -- consecutive calls are measured
      await client.call().catch(() => failed++)
    }
  }))
  return failed
}

onMessage((message) => {
  if (message.tag !== "work") return
  const cpu = process.cpuUsage()
  const started = performance.now()
  void run(message.work).then((failed) => {
    const { system, user } = process.cpuUsage(cpu)
    sendToParent({ tag: "worked", failed, millis: performance.now() - started, cpuMicros: system + user })
  })
})
sendToParent({ tag: "ready" })
