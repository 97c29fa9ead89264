/** Whether the server is stopping: then it is not ready, and a load balancer sends its requests to others. */
import { Config, Context, Duration, Effect, Layer } from "effect"

export class Stopping extends Context.Service<Stopping, { isStopping: boolean }>()(
  "@effect-lingua/example-backend/Stopping"
) {}

export const layer = Layer.sync(Stopping, () => ({ isStopping: false }))

/** The time for which a server that is not ready any more still accepts requests: until a load balancer has asked it again. */
const drainTime = Config.Duration("DRAIN_TIME").pipe(Config.withDefault(Duration.zero))

/** Built after the server, so that it is released before it. */
export const layerFlag = Layer.effectDiscard(Effect.gen(function*() {
  const state = yield* Stopping
  const time = yield* drainTime
  yield* Effect.addFinalizer(() => {
    state.isStopping = true
    return Effect.sleep(time)
  })
}))
