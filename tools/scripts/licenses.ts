import { globSync, readFileSync } from "node:fs"
import type { RolldownOutput } from "rolldown"

/** The licenses of all packages in a bundle, each below the package's name and version. */
export const licensesOf = (output: RolldownOutput["output"]): string => {
  const folders = new Set(
    output.flatMap((file) => file.type === "chunk" ? file.moduleIds : [])
      .flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  )
  return [...folders].toSorted().map((folder) => {
    const { license, name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))
    const [file] = globSync(`${folder}/LICEN[CS]E*`)
    // Some packages only name their license.
    if (file === undefined && license === undefined) throw new Error(`${name} has no license`)
    return `${name} ${version}\n\n${file === undefined ? license : readFileSync(file, "utf8").trim()}\n`
  }).join(`\n${"-".repeat(80)}\n\n`)
}
