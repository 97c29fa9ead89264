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
  ".github/CODE_OF_CONDUCT.md": "code-of-conduct"
}

export const sections: ReadonlyArray<Section> = [
  { text: "Getting started", pages: ["getting-started", overview, "hosts", "runtimes", "cookbook"] },
  { text: "Without Effect", pages: ["without-effect", "migrating-from-deepl-node"] },
  {
    text: "Services",
    pages: ["services", "languages", "usage", "voice", "quality-evaluation", "admin", "agents"]
  },
  { text: "Improve texts", pages: ["improving-texts", "style-rules"] },
  {
    text: "Translate texts",
    pages: ["translation", "bulk", "detection", "glossaries", "translation-memories", "localization"]
  },
  { text: "Translate documents", pages: ["documents", "durable-documents"] },
  { text: "Errors and retries", pages: ["errors", "resilience", "queues"] },
  {
    text: "Testing",
    pages: [
      "testing",
      "testing/behaviour",
      "testing/faults",
      "testing/properties",
      "testing/server",
      "testing/conformance",
      "testing/compatibility"
    ]
  },
  {
    text: "Operate",
    pages: ["runbook", "observability", "clients", "backend", "performance"]
  },
  {
    text: "Command line",
    pages: ["cli", "cli-input", "cli-output", "cli-resources", "cli-settings", "cli-screens"]
  },
  {
    text: "The project",
    pages: ["versions", "releases/0.3.0", "releases/0.2.0", "security", "decisions", "contributing"]
  }
]

/** The pages of contributors, which have a menu of their own. */
export const contributors: Section = {
  text: "Contributing",
  pages: [
    "contributing",
    "architecture",
    "contributing/compiler-messages",
    "contributing/performance",
    "code-of-conduct"
  ]
}
