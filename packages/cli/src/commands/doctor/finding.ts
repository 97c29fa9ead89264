/** The findings of the checks. */

/** The result of a check. `detail` and `advice` contain no secret. */
export interface Finding {
  readonly check: "settings" | "key" | "tier" | "proxy" | "name" | "connection" | "access" | "clock" | "documents"
  readonly status: "ok" | "warning" | "problem" | "skipped"
  readonly detail: string
  readonly advice?: string
}

const finding = (status: Finding["status"]) => (check: Finding["check"], detail: string, advice?: string): Finding =>
  advice === undefined ? { check, status, detail } : { check, status, detail, advice }

export const ok = finding("ok")
export const skipped = finding("skipped")
export const warning = finding("warning")
export const problem = finding("problem")
