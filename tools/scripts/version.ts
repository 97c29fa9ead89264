// Writes the packages' common version to the constants of core and the command line, and to the examples' dependencies.
import { globSync, readFileSync, writeFileSync } from "node:fs"

const { version } = JSON.parse(readFileSync("packages/core/package.json", "utf8"))
for (const target of ["packages/core/src/config/internal/version.ts", "extensions/cli/src/settings/version.ts"]) {
  const source = readFileSync(target, "utf8")
  writeFileSync(target, source.replace(/version = ".*"/, `version = "${version}"`))
}
for (const target of globSync("examples/*/package.json")) {
  const source = readFileSync(target, "utf8")
  writeFileSync(target, source.replace(/(?<="@effect-lingua\/\w+": "\^)[^"]+/g, version))
}
