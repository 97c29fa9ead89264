/** Accounts that keys make at first sight, and that are forgotten when they are unused. */
import type * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { Key } from "../model.ts"
import { acceptedKey, type Fake, isAdminKey, newKey, type Store } from "../state.ts"

const unused = Duration.toMillis("10 minutes")

const resourcesOf = ({
  documents,
  evaluations,
  glossaries,
  jobs,
  kept,
  memories,
  styleLists
}: Store) => [documents, evaluations, glossaries, jobs, memories, styleLists, ...kept]

/** Forgets the accounts that were not used for a while, with everything that they own. */
const forget = ({ store }: Fake, now: number): void => {
  for (const [account, used] of store.guests) {
    if (now - used < unused) return
    store.guests.delete(account)
    store.keys.delete(account)
    store.quotas.delete(account)
    store.windows.delete(account)
    for (const [place, { key }] of store.usage) if (key === account) store.usage.delete(place)
    for (const resources of resourcesOf(store)) resources.forget(account)
  }
}

/** True for an account that has a key in the options. */
export const isOfOptions = ({ settings: { keys } }: Fake, account: string): boolean =>
  keys.some((key) => (key.account ?? "") === account)

/** An accepted key: one that is known, or one that makes an account of its own, which has the name of the key. */
export const keyOf = (fake: Fake, word: string, now: DateTime.Utc): Key | undefined => {
  const { settings, store } = fake
  if (!settings.anyKey || isAdminKey(word)) return acceptedKey(fake, word)
  forget(fake, now.epochMilliseconds)
  if (!store.keys.has(word)) {
    const access: Key = {
      key: word,
      tier: word.endsWith(":fx") ? "free" : "paid",
      detectionEnabled: true,
      account: word
    }
    store.keys.set(word, newKey(store.keyIds, access, undefined, now))
    store.guests.set(word, 0)
  }
  // The order of a map is that of insertion: the least recently used account is the first.
  if (store.guests.delete(word)) store.guests.set(word, now.epochMilliseconds)
  return acceptedKey(fake, word)
}
