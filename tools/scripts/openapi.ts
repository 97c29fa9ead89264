// writes the contract as docs/openapi.json; --check only compares
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { compactJson } from "./compactJson.ts"

const target = "docs/openapi.json"
const generated = `${compactJson(OpenApi.fromApi(LanguageServiceApi), 1500)}\n`

if (!process.argv.includes("--check")) {
  mkdirSync("docs", { recursive: true })
  writeFileSync(target, generated)
} else if (!existsSync(target) || readFileSync(target, "utf8") !== generated) {
  process.stderr.write(
    `${target} does not match the contract: run \`npx -y pnpm@12 exec node tools/scripts/openapi.ts\`\n`
  )
  process.exitCode = 1
}
