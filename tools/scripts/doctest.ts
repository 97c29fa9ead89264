// Writes each TypeScript fence of {packages,extensions}/*/src, README.md and docs to a file that tsc checks. A fence marked "```ts
// import.meta.vitest" is a test, which vitest runs. If the fence imports "@effect/vitest" or "@effect-lingua/testing/Vitest", it is the whole test
// file; otherwise the body of an async test function. In the body, "expression // => value" and "console.log(expression) // => value" are assertions.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const fence = /^[ *]*```ts( import\.meta\.vitest)?\n([\s\S]*?)^[ *]*```$/gm
const importStatement = /^import\s(?:[^"]*?\sfrom\s)?"[^"]+";?$/gm
const assertion = /^(\s*)(?:const (\w+) = )?(?:console\.log\((.+)\)|(.+?);?)(?: |\n\s*)\/\/ => (.+)$/gm

const toTest = (code: string, name: string) => {
  const imports = code.match(importStatement) ?? []
  const body = code.replace(importStatement, "").trim().replace(
    assertion,
    (
      _,
      indent: string,
      binding: string | undefined,
      shown: string | undefined,
      value: string | undefined,
      expected: string
    ) => {
      const expression = shown ?? value
      return binding === undefined
        ? `${indent}assert.deepStrictEqual(${expression}, ${expected})`
        : `${indent}const ${binding} = ${expression}\n${indent}assert.deepStrictEqual(${binding}, ${expected})`
    }
  )
  return [
    `import { assert, it } from "@effect/vitest"`,
    ...imports,
    `void assert`,
    `it(${JSON.stringify(name)}, async () => {`,
    body,
    `})`,
    ``
  ].join("\n")
}

const write = (file: string, folder: string, unprefix: (line: string) => string) => {
  const source = readFileSync(file, "utf8")
  for (const match of source.matchAll(fence)) {
    const line = source.slice(0, match.index).split("\n").length
    const code = (match[2] ?? "").split("\n").map(unprefix).join("\n")
    const isRun = match[1] !== undefined
    const isFile = !isRun || /from "(?:@effect\/vitest|@effect-lingua\/testing\/Vitest)"/.test(code)
    const name = file.replace(/^\w+\/\w+\/src\//, "").replace(/\.\w+$/, "").replaceAll("/", ".")
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `${name}.L${line}${isRun ? ".test" : ""}.ts`),
      isFile ? `${code}\nexport {}\n` : toTest(code, `${file}:${line}`)
    )
  }
}

for (const folder of globSync(["{packages,extensions}/*/test/doctest", "test/doctest"])) {
  rmSync(folder, { recursive: true })
}
for (const file of globSync("{packages,extensions}/*/src/**/*.ts")) {
  write(file, file.replace(/\/src\/.*/, "/test/doctest"), (line) => line.replace(/^ *\* ?/, ""))
}
for (const file of globSync(["README.md", "docs/**/*.md", "{packages,extensions}/*/README.md"])) {
  write(file, "test/doctest", (line) => line)
}
