/** Counts the modules that a program loads, except modules of Node.js, and writes the number to standard error on exit. */
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
