/** The yardstick of a simulation: an ideal client that knows the service's state and sends only calls that can succeed in time, most urgent first. */
import type { Scenario } from "./scenarios.ts"
import type { Service } from "./service.ts"
import type { Call, Loop } from "./simulation.ts"

/** Milliseconds between polls of a busy service. */
const look = 20

export const make = (scenario: Scenario) => (world: Loop, service: Service) => {
  const waiting: Array<Call> = []
  let isLooking = false

  const add = (call: Call): void => {
    const index = waiting.findLastIndex(({ until }) => until <= call.until)
    waiting.splice(index + 1, 0, call)
  }

  const serve = (): void => {
    const now = world.now()
    const { faults = {}, latency = 50 } = service.termsAt(now)
    // Work takes a random time, so a call with little time left fails without a request.
    const work = scenario.isSharing === true ? 3000 : 100 + 2000 / service.capacityAt(now)
    const { reset = 0, silent = 0, status503 = 0, unreachable = 0 } = faults
    const isDown = reset + silent + status503 + unreachable === 1
    for (let index = 0; index < waiting.length;) {
      const call = waiting[index]
      if (isDown || call === undefined || !service.hasRoom() || !service.hasToken()) break
      if (faults.oneOperation === true && call.operation === 0) {
        index++
        continue
      }
      waiting.splice(index, 1)
      if (call.until < now + latency + work) {
        call.end(false)
        continue
      }
      service.arrive(call.operation, ({ status }) => {
        if (status === 200) call.end(world.now() <= call.until)
        else add(call)
        serve()
      })
    }
    while (waiting[0] !== undefined && waiting[0].until <= now) waiting.shift()?.end(false)
    if (waiting.length === 0 || isLooking) return
    isLooking = true
    world.at(now + look, () => {
      isLooking = false
      serve()
    })
  }

  return (call: Call): void => {
    add(call)
    serve()
  }
}
