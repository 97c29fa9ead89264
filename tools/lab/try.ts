import { all } from "./scenarios.ts"
import { library, others } from "./clients.ts"
import { run } from "./simulation.ts"
const [, , names = "", kinds = "", seeds = "1"] = process.argv
const chosen = <A extends { readonly name: string }>(all: ReadonlyArray<A>, names: string) =>
  names === "all" ? all : names.split(",").flatMap((n) => all.filter(({ name }) => n.endsWith("*") ? name.startsWith(n.slice(0, -1)) : name === n))
for (const s of chosen(all, names)) for (const k of chosen([library, ...others], kinds)) for (const seed of seeds.split(",")) {
  const t = performance.now()
  const r = run(s, k, Number(seed))
  console.log(s.name.padEnd(15), k.name.padEnd(14), seed, `share ${r.share.toFixed(3)} best ${(r.best/r.calls).toFixed(3)} req/call ${(r.requests/r.calls).toFixed(2)} refused ${(100*r.refused/r.requests).toFixed(0)}% rec ${r.recovery} later ${r.later.toFixed(3)} p50 ${(r.p50/1000).toFixed(1)} p99 ${(r.p99/1000).toFixed(1)} fail ${(r.failedAfter/1000).toFixed(1)} [${((performance.now()-t)/1000).toFixed(1)}s]`)
}
