// Writes the contract to docs/openapi.json, which a test compares.
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { writeFileSync } from "node:fs"
import { compactJson } from "./compactJson.ts"

export const generated = `${compactJson(OpenApi.fromApi(LanguageServiceApi), 1500)}\n`

if (import.meta.main) writeFileSync("docs/openapi.json", generated)
