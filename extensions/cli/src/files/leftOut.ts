/** Finds which files of a folder or pattern are not the user's documents. */
import type * as Path from "effect/Path"
import ignore, { type Ignore } from "ignore"
import { existsSync, readFileSync, statSync } from "node:fs"

const dependencies = new Set(["node_modules", "bower_components", "Pods", "site-packages", "venv", "__pycache__"])

const configuration =
  /^(?:(?:package|npm-shrinkwrap|lerna|nx|turbo|[jt]sconfig(?:\..*)?|deno|composer|angular|biome|renovate|effect-lingua)\.json|.*[.-]lock\.(?:json|yaml)|pnpm-workspace\.yaml|(?:docker-)?compose(?:\..*)?\.yaml|pom\.xml|(?:requirements.*|CMakeLists|robots)\.txt)$/

/** The root of a folder's Git repository, or, without a repository, the folder. */
const repositoryOf = (folder: string, path: Path.Path): string => {
  for (let current = folder;; current = path.dirname(current)) {
    if (existsSync(path.join(current, ".git"))) return current
    if (current === path.dirname(current)) return folder
  }
}

/**
 * Returns a function that finds why a matched file is skipped, and the skipped part of its path. Names in the pattern are never skipped.
 * `.gitignore` files apply from the repository's root down.
 */
export const leftOut = (pattern: string, folder: string, path: Path.Path) => {
  const chosen = pattern.split(/[/\\]/)
  const literal = chosen.slice(0, chosen.findIndex((part) => /[*?[{]/.test(part)))
  const top = repositoryOf(path.resolve(folder, literal.join(path.sep)), path)
  const rules = new Map<string, Ignore>()
  const rulesOf = (folder: string): Ignore => {
    const read = rules.get(folder)
    if (read !== undefined) return read
    const file = path.join(folder, ".gitignore")
    const added = ignore()
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) added.add(readFileSync(file, "utf8"))
    rules.set(folder, added)
    return added
  }
  const isIgnored = (file: string, end: string, folder = path.dirname(file)): boolean => {
    if (!file.startsWith(path.join(top, path.sep))) return false
    const { ignored, unignored } = rulesOf(folder).test(path.relative(folder, file) + end)
    return ignored || !unignored && folder !== top && isIgnored(file, end, path.dirname(folder))
  }
  const reasonOf = (part: string, file: string, end: string): string | undefined =>
    dependencies.has(part) || configuration.test(part)
      ? "they are dependencies or files of tools"
      : isIgnored(file, end) && !isIgnored(path.dirname(file), path.sep)
      ? "version control ignores them"
      : undefined
  return (name: string): { readonly why: string; readonly what: string } | undefined => {
    const parts = name.split(path.sep)
    for (const [index, part] of parts.entries()) {
      const what = parts.slice(0, index + 1).join(path.sep)
      const why = chosen.includes(part)
        ? undefined
        : reasonOf(part, path.resolve(folder, what), index < parts.length - 1 ? path.sep : "")
      if (why !== undefined) return { why, what }
    }
    return undefined
  }
}
