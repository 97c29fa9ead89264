/** Nothing but undici. */
import Undici from "@effect/platform-node/Undici"

export const run = async (url: string) => {
  const { body } = await Undici.request(`${url}/v2/translate`, {
    method: "POST",
    headers: { authorization: "Service-Auth-Key key", "content-type": "application/json" },
    body: JSON.stringify({ text: ["Good."], target_lang: "DE" })
  })
  return JSON.parse(await body.text()).translations[0].text
}
