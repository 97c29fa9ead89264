/** The site's pages, in the order of the menu, and the repository files that pages are made from. */

interface Section {
  readonly text: string
  /** Files in `docs`, without the extension, and pages of `others`. */
  readonly pages: ReadonlyArray<string>
}

/** The route of README.md. */
export const overview = "overview"

/** Files outside of `docs` that are pages, with their routes. */
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

/** The pages for contributors, which have a separate menu. */
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
