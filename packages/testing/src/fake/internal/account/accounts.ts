/** Accounts of unknown API keys, removed after 10 minutes without use. */
import type * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { Key } from "../model.ts"
import { Resources } from "../resources.ts"
import { acceptedKey, type Fake, isAdminKey, newKey, type Store } from "../state.ts"

const maxUnusedMillis = Duration.toMillis("10 minutes")

const resourcesOf = (store: Store) => [
  ...Object.values(store).filter((value) => value instanceof Resources),
  ...store.kept
]

const forget = ({ store }: Fake, now: number): void => {
  for (const [account, used] of store.guests) {
    if (now - used < maxUnusedMillis) return
    store.guests.delete(account)
    store.keys.delete(account)
    store.quotas.delete(account)
    store.windows.delete(account)
    for (const [place, { key }] of store.usage) if (key === account) store.usage.delete(place)
    for (const resources of resourcesOf(store)) resources.forget(account)
  }
}

/** True if a configured key has the account. */
export const isOfOptions = ({ settings: { keys } }: Fake, account: string): boolean =>
  keys.some((key) => (key.account ?? "") === account)

/** The accepted key with the value `word`, if any. With `anyKey`, an unknown key creates an account. */
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
  // Moves the account to the end: the map is in order of last use.
  if (store.guests.delete(word)) store.guests.set(word, now.epochMilliseconds)
  return acceptedKey(fake, word)
}
