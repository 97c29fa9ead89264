/** Checks of a caller's headers. */

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
const reserved = new Set(["authorization", "user-agent", "content-type", "content-length", "host"])

/** Header values and their parts, because a service may repeat a token without its scheme. */
export const secretsOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((value) => [value, ...value.split(/\s+/), ...value.split(/[\s,;=]+/)])

export const isToken = (word: string): boolean => token.test(word)

export const isFieldValue = (value: string): boolean => fieldValue.test(value)

export const isReserved = (name: string): boolean => reserved.has(name.toLowerCase())
