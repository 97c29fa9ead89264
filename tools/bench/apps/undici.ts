/** undici alone, with 16 calls in flight. */
import Undici from "@effect/platform-node/Undici"
import { inFlight } from "./workers.ts"

export const run = (url: string, calls = 1) =>
  inFlight(calls, async () => {
    const { body } = await Undici.request(`${url}/v2/translate`, {
      method: "POST",
      headers: { authorization: "Service-Auth-Key key", "content-type": "application/json" },
      body: JSON.stringify({ text: ["Good."], target_lang: "DE" })
    })
    return JSON.parse(await body.text()).translations[0].text
  })
