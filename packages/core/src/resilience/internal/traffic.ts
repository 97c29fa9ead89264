/** The attempts of a client or of a tenant that wait to be sent, and those that are sent and have not ended. */
export const make = () => {
  const counts = { queued: 0, inFlight: 0 }
  return {
    counts,
    /** Counts an attempt as queued, and returns a function that moves it, or removes it at its end. */
    enter: () => {
      let place: keyof typeof counts | undefined = "queued"
      counts.queued++
      return (to: keyof typeof counts | undefined): void => {
        if (place !== undefined) counts[place]--
        if (to !== undefined) counts[to]++
        place = to
      }
    }
  }
}
