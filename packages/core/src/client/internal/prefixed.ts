/** The names of the variables of one of several clients. */

/** The name of a variable, behind the prefix of the client if it has one. */
export const prefixed = (prefix: string | undefined, name: string): string =>
  prefix === undefined ? name : `${prefix}_${name}`
