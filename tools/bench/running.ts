/** Runs and measures work that the parent process requests. */
import { readdirSync } from "node:fs"
import { memoryUsage } from "node:process"
import { onMessage, type Ran, sendToParent } from "./protocol.ts"

const names = ["rss", "heapUsed", "external", "arrayBuffers"] as const

/** Open descriptors of this process, without the descriptor of the listing itself. */
const descriptors = (): number => readdirSync("/proc/self/fd").length - 1

const measure = async (work: (size: number) => Promise<number>, size: number): Promise<Ran> => {
  const before = memoryUsage()
  const peak = { ...before, descriptors: descriptors() }
  const sample = () => {
    const now = memoryUsage()
    for (const name of names) peak[name] = Math.max(peak[name], now[name])
    peak.descriptors = Math.max(peak.descriptors, descriptors())
  }
  // @effect-diagnostics-next-line globalTimers:off
  const sampling = setInterval(sample, 50)
  const cpu = process.cpuUsage()
  const started = performance.now()
  const done = await work(size)
  const seconds = (performance.now() - started) / 1000
  const { system, user } = process.cpuUsage(cpu)
  clearInterval(sampling)
  sample()
  return { done, seconds, cpuMicros: system + user, before, peak }
}

/**
 * Runs work of the requested size and sends the measurements to the parent process. `work` returns the amount done; `clear` removes the files
 * afterwards and is not measured.
 */
export const answerRuns = (
  work: (size: number) => Promise<number>,
  clear: () => Promise<void> = () => Promise.resolve()
): void => {
  onMessage((message) => {
    if (message.tag !== "run") return
    void measure(work, message.size).then(async (result) => {
      await clear()
      sendToParent({ tag: "ran", result })
    })
  })
  sendToParent({ tag: "ready" })
}
