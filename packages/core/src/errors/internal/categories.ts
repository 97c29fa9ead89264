/** Error categories, with the status and detail that a server reports. */
import { hasProperty, isString } from "effect/Predicate"

export const titles = {
  400: "Bad Request",
  404: "Not Found",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout"
}

export type ProblemStatus = keyof typeof titles

type Row = readonly [status: ProblemStatus, detail: string]

const serverError = [500, "The request could not be processed."] as const
const noAnswer = [502, "The language service did not give a valid response."] as const
const unavailable = [503, "The service is not available. Try again later."] as const

export const categories = {
  usage: [400, "The request is not valid."],
  source: [400, "The file could not be read to its end."],
  missing: [404, "An object of the request does not exist."],
  busy: [409, "Another request is working on it. Try again later."],
  conflict: [409, "The request does not fit the present state of its objects."],
  gone: [410, "The document was downloaded before."],
  tooLarge: [413, "The request is too large."],
  rejected: [422, "The input could not be processed."],
  budget: [429, "The budget of characters is used up."],
  access: serverError,
  local: serverError,
  badResponse: noAnswer,
  lost: noAnswer,
  unknown: noAnswer,
  quota: [503, "The quota of the language service is used up."],
  throttled: [503, "Too many requests at the moment. Try again later."],
  unavailable,
  unreachable: unavailable,
  notReady: [504, "The result is not ready yet. Try again later."],
  timeout: [504, "The language service did not respond in time. Try again later."]
} as const satisfies Readonly<Record<string, Row>>

export type Category = keyof typeof categories

export const isCategorized = (error: unknown): error is { readonly category: Category } => {
  try {
    return hasProperty(error, "category") && isString(error.category) && Object.hasOwn(categories, error.category)
  } catch {
    return false
  }
}

/** The row of a category; an error without one is the server's. */
export const rowOf = (category: Category | undefined): Row =>
  category === undefined ? serverError : categories[category]

/** Categories that concern all texts of a run. */
export const ofRun = ["access", "budget", "missing", "quota", "unreachable"] as const satisfies ReadonlyArray<Category>

export type OfRun = typeof ofRun[number]
