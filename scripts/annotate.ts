// Marks the top-level calls of the modules in dist as free of side effects, so that bundlers drop those with unused results, and
// adjusts the source maps.
import { decode, encode } from "@jridgewell/sourcemap-codec"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { parseSync, Visitor } from "oxc-parser"

const mark = "/*#__PURE__*/"

/** The offsets of the calls outside of functions. */
const findCalls = (file: string, code: string): ReadonlyArray<number> => {
  const found = new Set<number>()
  let depth = 0
  const enter = () => {
    depth++
  }
  const leave = () => {
    depth--
  }
  const note = ({ start }: { readonly start: number }) => {
    if (depth === 0) found.add(start)
  }
  new Visitor({
    // A statement that is only a call is made for its effect.
    ExpressionStatement: enter,
    "ExpressionStatement:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    PropertyDefinition: enter,
    "PropertyDefinition:exit": leave,
    CallExpression: note,
    NewExpression: note
  }).visit(parseSync(file, code).program)
  return [...found].toSorted((one, other) => one - other)
}

for (const file of globSync("packages/*/dist/**/*.js")) {
  const code = readFileSync(file, "utf8")
  const calls = findCalls(file, code)
  writeFileSync(file, [0, ...calls].map((from, index) => code.slice(from, calls[index])).join(mark))
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8"))
  const lines = decode(map.mappings)
  const columns = Map.groupBy(
    calls.map((at) => ({
      line: code.slice(0, at).split("\n").length - 1,
      column: at - code.lastIndexOf("\n", at - 1) - 1
    })),
    ({ line }) => line
  )
  for (const [line, marks] of columns) {
    for (const segment of lines[line] ?? []) {
      segment[0] += mark.length * marks.filter(({ column }) => column <= segment[0]).length
    }
  }
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, mappings: encode(lines) }))
}
