/** Whether the server is stopping. A stopping server is not ready, so that load balancers send requests to other servers. */
import { Config, Context, Duration, Effect, Layer } from "effect"

export class Stopping extends Context.Service<Stopping, { isStopping: boolean }>()(
  "@effect-lingua/example-backend/Stopping"
) {}

export const layer = Layer.sync(Stopping, () => ({ isStopping: false }))

/** Time for which a stopping server still accepts requests, until load balancers have seen that it is not ready. */
const drainTime = Config.Duration("DRAIN_TIME").pipe(Config.withDefault(Duration.zero))

/** Built after the server, so that its finalizer runs before the server is released. */
export const layerFlag = Layer.effectDiscard(Effect.gen(function*() {
  const state = yield* Stopping
  const time = yield* drainTime
  yield* Effect.addFinalizer(() => {
    state.isStopping = true
    return Effect.sleep(time)
  })
}))
