/** A process that does some work whenever it is asked to, and watches what it takes meanwhile. */
import { readdirSync } from "node:fs"
import { memoryUsage } from "node:process"
import { onMessage, type Ran, tell } from "./protocol.ts"

const names = ["rss", "heapUsed", "external", "arrayBuffers"] as const

/** Open descriptors of this process, without the one that looks. */
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
 * Does work of the size that is asked for, and says how that went. `work` gives how much it has done; `clear` removes what it
 * leaves, which is not measured.
 */
export const answerRuns = (
  work: (size: number) => Promise<number>,
  clear: () => Promise<void> = () => Promise.resolve()
): void => {
  onMessage((message) => {
    if (message.tag !== "run") return
    void measure(work, message.size).then(async (result) => {
      await clear()
      tell({ tag: "ran", result })
    })
  })
  tell({ tag: "ready" })
}
