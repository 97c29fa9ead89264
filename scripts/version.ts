// Writes the version of packages/core into the constant for the User-Agent header.
import { readFileSync, writeFileSync } from "node:fs"

const target = "packages/core/src/client/internal/version.ts"
const { version } = JSON.parse(readFileSync("packages/core/package.json", "utf8"))
const source = readFileSync(target, "utf8")
writeFileSync(target, source.replace(/version = ".*"/, `version = "${version}"`))
