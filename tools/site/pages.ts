/** The pages of the site, in the order of its menu, with the files of the repository that they are made of. */

interface Section {
  readonly text: string
  /** Files in `docs`, without their ending, and pages of `others`. */
  readonly pages: ReadonlyArray<string>
}

/** The page of README.md. */
export const overview = "overview"

/** Other files of the repository that are pages. */
export const others: Readonly<Record<string, string>> = {
  "README.md": overview,
  ".github/CONTRIBUTING.md": "contributing",
  ".github/SECURITY.md": "security",
  ".github/CODE_OF_CONDUCT.md": "code-of-conduct",
  "extensions/agents/README.md": "agents"
}

export const sections: ReadonlyArray<Section> = [
  { text: "Getting started", pages: ["getting-started", overview, "cookbook"] },
  { text: "Without Effect", pages: ["without-effect", "migrating-from-deepl-node"] },
  { text: "Use", pages: ["services", "texts", "glossaries", "localization", "voice", "agents", "usage"] },
  { text: "Documents", pages: ["documents", "durable-documents"] },
  { text: "Errors and retries", pages: ["errors", "resilience"] },
  { text: "Testing", pages: ["testing", "testing/fake", "testing/conformance"] },
  { text: "Operate", pages: ["servers", "production", "observability", "runbook", "performance", "security"] },
  { text: "Command line", pages: ["cli", "cli-reference"] }
]

/** The pages of contributors, which have a menu of their own. */
export const contributors: Section = {
  text: "Contributing",
  pages: [
    "contributing",
    "architecture",
    "decisions",
    "contributing/compiler-messages",
    "contributing/performance",
    "code-of-conduct"
  ]
}
