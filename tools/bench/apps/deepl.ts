/** `deepl-node`, with 16 calls in flight. */
import { DeepLClient } from "deepl-node"
import { inFlight } from "./workers.ts"

export const run = (url: string, calls = 1) => {
  const client = new DeepLClient("key", { serverUrl: url })
  return inFlight(calls, () => client.translateText("Good.", null, "de"))
}
