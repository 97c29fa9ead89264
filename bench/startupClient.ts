/** A process that measures how long it takes to load an app and to have its first answer. Argument: `StartOrder`, as JSON. */
import { pathToFileURL } from "node:url"
import { onMessage, type StartOrder, tell } from "./protocol.ts"

const order: StartOrder = JSON.parse(process.argv[2] ?? "{}")

onMessage(() => undefined)

const started = performance.now()
const { run } = await import(pathToFileURL(order.app).href)
const loaded = performance.now()
await run(order.url)
tell({ tag: "started", loaded: loaded - started, answered: performance.now() - started })
