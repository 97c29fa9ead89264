/** `deepl-node`. */
import { DeepLClient } from "deepl-node"

export const run = async (url: string) => {
  const { text } = await new DeepLClient("key", { serverUrl: url }).translateText("Good.", null, "de")
  return text
}
