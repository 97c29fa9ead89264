/** Counts SQLite statements and writing transactions of this process. */
import { StatementSync } from "node:sqlite"

export const countSqlite = (): { readonly statements: number; readonly commits: number } => {
  const counts = { statements: 0, commits: 0 }
  let isInTransaction = false
  let writes = false
  const count = (statement: string) => {
    const sql = statement.trimStart()
    counts.statements++
    writes ||= /^(INSERT|UPDATE|DELETE)/i.test(sql)
    if (/^BEGIN/i.test(sql)) isInTransaction = true
    if (/^(COMMIT|ROLLBACK)/i.test(sql)) isInTransaction = false
    if (!isInTransaction) {
      if (writes && !sql.startsWith("ROLLBACK")) counts.commits++
      writes = false
    }
  }
  // oxlint-disable-next-line typescript/unbound-method -- the method is called with its statement
  StatementSync.prototype.all = new Proxy(StatementSync.prototype.all, {
    apply: (all, statement: StatementSync, params) => {
      count(statement.sourceSQL)
      return Reflect.apply(all, statement, params)
    }
  })
  return counts
}
