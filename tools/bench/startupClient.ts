/** A process that measures the time until an app is loaded and until its last response. Argument: `StartOrder`, as JSON. */
import { pathToFileURL } from "node:url"
import { onMessage, sendToParent, type StartOrder } from "./protocol.ts"

const order: StartOrder = JSON.parse(process.argv[2] ?? "{}")

onMessage(() => undefined)

const begun = { time: performance.now(), cpu: process.cpuUsage() }

const elapsed = () => {
  const { system, user } = process.cpuUsage(begun.cpu)
  return { time: performance.now() - begun.time, cpu: (system + user) / 1000 }
}

const { run } = await import(pathToFileURL(order.app).href)
const loaded = elapsed()
await run(order.url, order.calls)
const answered = elapsed()
const { system, user } = process.cpuUsage()
sendToParent({
  tag: "started",
  started: {
    loaded: loaded.time,
    loadedCpu: loaded.cpu,
    answered: answered.time,
    answeredCpu: answered.cpu,
    processCpu: (system + user) / 1000
  }
})
