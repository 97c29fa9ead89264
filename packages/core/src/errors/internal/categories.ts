/** Error categories, with the HTTP problem and the outcome of each. */
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

/** The known effect of a failed call. `refused`: nothing happened. `unknown`: the call may have taken effect. `pending`: the result is not ready yet. */
export type Outcome = "refused" | "unknown" | "pending"

type Row = readonly [status: ProblemStatus, detail: string, outcome: Outcome, isTransient: boolean]

const noValidResponse = "The language service did not give a valid response."

const serverError = [500, "The request could not be processed.", "refused", false] as const
const unavailable = [503, "The service is not available. Try again later.", "refused", true] as const

/** Per category: the HTTP problem's status and detail, the attempt's outcome, and whether a retry can succeed. */
export const categories = {
  usage: [400, "The request is not valid.", "refused", false],
  source: [400, "The file could not be read to its end.", "refused", false],
  missing: [404, "An object of the request does not exist.", "refused", false],
  busy: [409, "Another request is working on it. Try again later.", "refused", true],
  conflict: [409, "The request does not fit the present state of its objects.", "refused", false],
  gone: [410, "The document was downloaded before.", "refused", false],
  tooLarge: [413, "The request is too large.", "refused", false],
  rejected: [422, "The input could not be processed.", "refused", false],
  budget: [429, "The budget of characters is used up.", "refused", false],
  access: serverError,
  local: serverError,
  badResponse: [502, noValidResponse, "unknown", true],
  lost: [502, noValidResponse, "unknown", false],
  unknown: [502, noValidResponse, "unknown", false],
  quota: [503, "The quota of the language service is used up.", "refused", false],
  throttled: [503, "Too many requests at the moment. Try again later.", "refused", true],
  unavailable,
  unreachable: unavailable,
  notReady: [504, "The result is not ready yet. Try again later.", "pending", true],
  timeout: [504, "The language service did not respond in time. Try again later.", "unknown", true]
} as const satisfies Readonly<Record<string, Row>>

export type Category = keyof typeof categories

export const isCategorized = (error: unknown): error is { readonly category: Category } => {
  try {
    return hasProperty(error, "category") && isString(error.category) && Object.hasOwn(categories, error.category)
  } catch {
    return false
  }
}

/** The category's row. An error without a category is an internal server error. */
export const rowOf = (category: Category | undefined): Row =>
  category === undefined ? serverError : categories[category]

/** Categories of errors that end a bulk run. */
export const ofRun = ["access", "budget", "missing", "quota", "unreachable"] as const satisfies ReadonlyArray<Category>

export type OfRun = typeof ofRun[number]
