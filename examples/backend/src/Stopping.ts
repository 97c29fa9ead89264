/** Whether the server is stopping: then it is not ready, and a load balancer sends its requests to others. */
import { Context, Effect, Layer } from "effect"

export class Stopping extends Context.Service<Stopping, { isStopping: boolean }>()(
  "@effect-lingua/example-backend/Stopping"
) {}

export const layer = Layer.sync(Stopping, () => ({ isStopping: false }))

/** Built after the server, so that it is released before it. */
export const layerFlag = Layer.effectDiscard(
  Effect.flatMap(Stopping, (state) =>
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        state.isStopping = true
      })
    ))
)
