/**
 * Counts what this process does to files and to the network, step by step, writes each step into a file when it has taken
 * effect, and kills the process at one of them. Loaded before the program, by `--import`.
 */
import fs, { openSync, readFileSync, writeSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { Socket } from "node:net"
import { basename } from "node:path"
import { Readable } from "node:stream"
import type { Order } from "./killable.ts"

type Anything = (this: unknown, ...args: Array<unknown>) => unknown

const order: Order = JSON.parse(process.argv[2] ?? "")
const trace = openSync(order.trace, "a")
const files = new Map<unknown, string>()
let steps = 0

const die = () => process.kill(process.pid, "SIGKILL")

const isKill = (step: number, when: "before" | "after" | "torn") =>
  order.kill?.step === step && order.kill.when === when

/** Begins a step, and gives what is to be called when it has taken effect. */
const begin = (label: string) => {
  const step = ++steps
  if (isKill(step, "before")) die()
  return {
    isTorn: isKill(step, "torn"),
    done: () => {
      writeSync(trace, `${step} ${label}\n`)
      if (isKill(step, "after")) die()
    }
  }
}

/** What a file is, whatever its name has in it that is random. */
const kindOf = (path: string): string => {
  const name = basename(path)
  return /^\.document-.*\.tmp$/.test(name)
    ? "temporary"
    : /^document-.*\.json$/.test(name)
    ? "entry"
    : /^document-.*\.lock/.test(name)
    ? "lock"
    : /^\.claim\.|\.claim\.part$/.test(name)
    ? "claim"
    : name.endsWith(".part")
    ? path.startsWith(order.rescueFolder ?? "-") ? "rescue" : "part"
    : path === order.journal
    ? "journal"
    : path === order.target
    ? "target"
    : name
}

const originalOf = (owner: object, name: string): Anything => Reflect.get(owner, name)

const textOf = (value: unknown) => typeof value === "string" ? value : ""

/** Fields that an entry of the journal gets one after the other. */
const fields = [
  ["started", " with a job"],
  ["jobId", " with a job"],
  ["temporary", " with a file"],
  ["bytesExpected", " of known length"],
  ["received", " received"]
] as const

/** What an entry of the journal says. */
const told = (text: string): string => {
  const entry: { readonly _tag: string; readonly isSent?: boolean } = JSON.parse(text)
  return `${entry._tag}${entry.isSent === true ? " sent" : fields.findLast(([field]) => field in entry)?.[1] ?? ""}`
}

/** What one call of a function does, in a word or two; nothing when it changes nothing. */
const describe = (name: string, [first, second]: ReadonlyArray<unknown>): string | undefined => {
  if (typeof first === "number") {
    const file = files.get(first)
    return file === undefined ? undefined : `${name} ${kindOf(file)}`
  }
  if (name === "open" && second === "r") return undefined
  const to = name === "rename" || name === "link" ? textOf(second) : textOf(first)
  if (to === "" || to.startsWith("/proc/")) return undefined
  return `${name} ${kindOf(to)}${
    name === "rename" && kindOf(to) === "entry" ? ` ${told(readFileSync(textOf(first), "utf8"))}` : ""
  }`
}

for (const name of ["open", "write", "fsync", "ftruncate", "rename", "link", "rm", "mkdir", "chmod", "close"]) {
  const original = originalOf(fs, name)
  Reflect.set(fs, name, function(this: unknown, ...args: Array<unknown>) {
    const finish = args.at(-1)
    const label = describe(name, args)
    if (typeof finish !== "function" || (label === undefined && name !== "open" && name !== "close")) {
      return original.apply(this, args)
    }
    const step = label === undefined || name === "close" ? undefined : begin(label)
    const [first, content] = args
    if (step?.isTorn === true && typeof first === "number" && content instanceof Uint8Array) {
      const position = args[4]
      writeSync(first, content, 0, Math.floor(content.length / 2), typeof position === "number" ? position : null)
      die()
    }
    return original.call(this, ...args.slice(0, -1), (...results: ReadonlyArray<unknown>) => {
      if (name === "open" && typeof results[1] === "number") files.set(results[1], textOf(first))
      if (name === "close") files.delete(first)
      if (results[0] === null || results[0] === undefined) step?.done()
      finish(...results)
    })
  })
}
syncBuiltinESMExports()

const write = originalOf(Socket.prototype, "write")
Reflect.set(Socket.prototype, "write", function(this: unknown, ...args: Array<unknown>) {
  const [request = "more of the request"] = /^[A-Z]+ \S+/.exec(textOf(args[0])) ?? []
  const step = begin(`send ${request.replace(/[0-9A-F]{32}|[0-9a-f]{8}-[0-9a-f-]{27}/, "id").replace(/\?.*/, "")}`)
  const result = write.apply(this, args)
  step.done()
  return result
})

const push = originalOf(Readable.prototype, "push")
Reflect.set(Socket.prototype, "push", function(this: unknown, ...args: Array<unknown>) {
  const step = begin("receive")
  const result = push.apply(this, args)
  step.done()
  return result
})
