import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const workflows = globSync(".github/workflows/*.yml").map((file) => [file, readFileSync(file, "utf8")] as const)

it("each action is pinned by its commit, with its version beside it", () => {
  const uses = workflows.flatMap(([file, text]) => (text.match(/uses: .+/g) ?? []).map((line) => `${file}: ${line}`))
  assert.isAbove(uses.length, 3)
  assert.deepStrictEqual(uses.filter((line) => !/uses: \S+@[0-9a-f]{40} # v\d/.test(line)), [])
})

it("a push runs all tests, and the types, the lint and the packed packages", () => {
  const [, parts = ""] = /^ {2}part:\n([^]*?)^ {2}\w+:/m.exec(readFileSync(".github/workflows/ci.yml", "utf8")) ?? []
  const tests = [...globSync("packages/*").map((folder) => `test ${folder}`), `test --exclude "packages/**"`]
  for (const command of [...tests, "check", "lint", "format", "build", "exec node tools/scripts/pack-check.ts"]) {
    assert.include(parts, `pnpm@12 ${command}`)
  }
})

it("each night runs everything with another seed, and a release only packages that were built and checked", () => {
  const nightly = readFileSync(".github/workflows/ci.yml", "utf8")
  assert.match(nightly, /cron: [^]*TESTS: .*event_name == 'schedule' && 'full'[^]*TESTS_SEED: \$\{\{ github/)
  const { release } = JSON.parse(readFileSync("package.json", "utf8")).scripts
  assert.strictEqual(release, "pnpm build && node tools/scripts/pack-check.ts && changeset publish")
})

it("no workflow has a token of the registry, and each job of a release only its permissions", () => {
  assert.deepStrictEqual(workflows.filter(([, text]) => /NPM_TOKEN|NODE_AUTH_TOKEN/.test(text)), [])
  const release = workflows.find(([file]) => file.endsWith("release.yml"))?.[1] ?? ""
  assert.match(release, /^permissions: \{\}$/m)
})

it("the list of what may be left untested has names of parts with reasons", () => {
  const parts = readFileSync("test/support/machine.ts", "utf8")
  const lines = readFileSync(".ci/untested", "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  for (const line of lines) {
    const [, part = "", reason = ""] = /^([^:]+): (.+)$/.exec(line) ?? []
    assert.include(parts, `"${part}": [`, line)
    assert.isAbove(reason.length, 20, line)
  }
})
