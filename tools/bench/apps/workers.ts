/** Makes calls with a promise client, 16 in flight. */
export const inFlight = async (calls: number, call: () => Promise<unknown>): Promise<void> => {
  let left = calls
  await Promise.all(Array.from({ length: Math.min(calls, 16) }, async () => {
    // oxlint-disable-next-line no-await-in-loop -- each worker makes consecutive calls
    while (left-- > 0) await call()
  }))
}
