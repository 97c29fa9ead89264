// Imports and exports of translation memories over a scripted wire.
import { type LanguageServiceConfig, TranslationMemories } from "@effect-lingua/core"
import { Effect, Stream } from "effect"
import * as Sample from "./operations.ts"
import * as Wire from "./Wire.ts"

export const tmx = `<tmx version="1.4"><header srclang="en"/><body></body></tmx>`
export const content = new TextEncoder().encode(tmx)
export const manuals = { content, fileName: "manuals.tmx" }
export const secret = "s3cretSignature"
export const uploadUrl = `https://storage.example/u/abc?sig=${secret}`
export const downloadUrl = `https://storage.example/d/def?sig=${secret}`

export const started = (url = uploadUrl) => Wire.answer(202, { ...Sample.importStarted, upload_url: url })
export const job = (status: string, fields: object = {}) =>
  Wire.answer(200, { job_id: Sample.jobId, operation: "import", results: [{ status, ...fields }] })
export const completed = job("completed", { translation_memory_id: Sample.translationMemoryId })
export const exportStarted = Wire.answer(202, { job_id: Sample.jobId })
export const exported = (url = downloadUrl) => job("completed", { download_url: url })

export const importTmx = TranslationMemories.use((memories) => memories.importTmx(manuals))
export const exportTmx = TranslationMemories.use((memories) =>
  Effect.flatMap(
    memories.exportTmx({ translationMemoryId: Sample.translationMemoryId }),
    ({ stream }) => Stream.mkString(Stream.decodeText(stream))
  )
)

export const over = (script: Wire.Script, options?: Partial<LanguageServiceConfig.Options>) =>
  Effect.provide(Wire.layer(script, options))

/** The platform fails with words of its own, which reach the error. */
export const saying = (message: string) =>
  Wire.failing({ cause: Object.assign(new Error(message), { code: "ENOTFOUND" }) })
