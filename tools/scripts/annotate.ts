// Annotates top-level calls and spreads of the modules in dist with `#__PURE__`, so that bundlers drop unused results, and adjusts the source maps.
// Declarations name types by their modules.
import { decode, encode } from "@jridgewell/sourcemap-codec"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import { parseSync, Visitor } from "oxc-parser"

const mark = "/*#__PURE__*/"

interface Insertion {
  readonly at: number
  readonly text: string
}

/**
 * Returns the annotations of calls outside of functions. An object or array with a spread is wrapped in an annotated call, because bundlers honour
 * the annotation only on calls.
 */
const findMarks = (file: string, code: string): ReadonlyArray<Insertion> => {
  const calls = new Set<number>()
  const spreads: Array<Insertion> = []
  let depth = 0
  const enter = () => {
    depth++
  }
  const leave = () => {
    depth--
  }
  const note = ({ start }: { readonly start: number }) => {
    if (depth === 0) calls.add(start)
  }
  const noteSpread = (parts: ReadonlyArray<{ readonly type: string } | null>, start: number, end: number) => {
    if (depth > 0 || !parts.some((part) => part?.type === "SpreadElement")) return
    spreads.push({ at: start, text: `${mark}(() => (` }, { at: end, text: "))()" })
  }
  new Visitor({
    // A call as a statement is made for its side effect.
    ExpressionStatement: enter,
    "ExpressionStatement:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    // Instance fields are evaluated in the constructor, static fields with the module.
    PropertyDefinition: ({ static: isStatic }) => {
      if (!isStatic) enter()
    },
    "PropertyDefinition:exit": ({ static: isStatic }) => {
      if (!isStatic) leave()
    },
    CallExpression: note,
    NewExpression: note,
    ObjectExpression: ({ end, properties, start }) => noteSpread(properties, start, end),
    ArrayExpression: ({ elements, end, start }) => noteSpread(elements, start, end)
  }).visit(parseSync(file, code).program)
  return [...Array.from(calls, (at) => ({ at, text: mark })), ...spreads].toSorted((one, other) => one.at - other.at)
}

for (const file of globSync("{packages,extensions}/*/dist/**/*.js")) {
  // A module that only re-exports has no source map.
  if (!existsSync(`${file}.map`)) continue
  const code = readFileSync(file, "utf8")
  const marks = findMarks(file, code)
  writeFileSync(
    file,
    code.slice(0, marks[0]?.at) +
      marks.map(({ at, text }, index) => text + code.slice(at, marks[index + 1]?.at)).join("")
  )
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8"))
  const lines = decode(map.mappings)
  const columns = Map.groupBy(
    marks.map(({ at, text }) => ({
      line: code.slice(0, at).split("\n").length - 1,
      column: at - code.lastIndexOf("\n", at - 1) - 1,
      length: text.length
    })),
    ({ line }) => line
  )
  for (const [line, marks] of columns) {
    for (const segment of lines[line] ?? []) {
      segment[0] += marks.reduce((sum, { column, length }) => column <= segment[0] ? sum + length : sum, 0)
    }
  }
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, mappings: encode(lines) }))
}

// The compiler names some inferred types by the barrel, so that a program with one service would check all of them.
for (const dist of globSync("{packages,extensions}/*/dist")) {
  for (const file of globSync(`${dist}/**/*.d.ts`)) {
    const code = readFileSync(file, "utf8")
    const direct = code.replaceAll(/import\("(?:\.\.\/)+index\.ts"\)\.(\w+)/g, (_, name) => {
      const [module, ...others] = globSync(`${dist}/**/${name}.d.ts`)
      if (module === undefined || others.length > 0) throw new Error(`${file}: not one module has the name ${name}`)
      return `import("./${relative(dirname(file), module).replace(/d\.ts$/, "ts")}").${name}`
    })
    if (direct !== code) writeFileSync(file, direct)
  }
}
