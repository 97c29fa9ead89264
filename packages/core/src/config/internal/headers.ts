/** Checks of a caller's headers before anything is sent. */

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
const reserved = new Set(["authorization", "user-agent", "content-type", "content-length", "host"])

/** The secrets in values of headers: also their parts, as a service may repeat a token without its scheme. */
export const secretsOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((value) => [value, ...value.split(/\s+/), ...value.split(/[\s,;=]+/)])

/** True for a valid name of a header or a scheme word. */
export const isToken = (word: string): boolean => token.test(word)

/** True for a valid value of a header. */
export const isFieldValue = (value: string): boolean => fieldValue.test(value)

/** True for a header that the client sets itself. */
export const isReserved = (name: string): boolean => reserved.has(name.toLowerCase())
