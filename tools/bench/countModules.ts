/** Counts the modules that a program loads, those of Node.js excluded, and writes their number to standard error at its end. */
import { registerHooks } from "node:module"

let modules = 0

registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith("node:")) modules++
    return next(url, context)
  }
})

process.on("exit", () => {
  process.stderr.write(`\n${modules}`)
})
