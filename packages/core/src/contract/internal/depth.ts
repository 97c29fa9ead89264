/** The nesting of a text in JSON. */

/** The deepest nesting that is read: schemas are interpreted by recursion, and so are most functions on a decoded value. */
export const deepest = 256

/** True for a text that is nested deeper. */
export const isTooDeep = (json: string): boolean => {
  let depth = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (isInString && code === 92) at++
    else if (code === 34) isInString = !isInString
    else if (isInString) continue
    else if (code === 91 || code === 123) depth++
    else if (code === 93 || code === 125) depth--
    if (depth > deepest) return true
  }
  return false
}
