/** The pages of the site, in the order of its menu, with the files of the repository that they are made of. */

interface Section {
  readonly text: string
  /** Files in `docs`, without their ending. */
  readonly pages: ReadonlyArray<string>
}

export const sections: ReadonlyArray<Section> = [
  {
    text: "First steps",
    pages: [
      "getting-started",
      "hosts",
      "without-effect",
      "runtimes",
      "migrating-from-deepl-node",
      "cookbook",
      "services",
      "cli",
      "cli-input",
      "cli-output",
      "cli-resources",
      "cli-settings",
      "cli-screens"
    ]
  },
  {
    text: "Features",
    pages: [
      "translation",
      "improving-texts",
      "detection",
      "bulk",
      "documents",
      "queues",
      "voice",
      "quality-evaluation",
      "languages",
      "style-rules",
      "glossaries",
      "translation-memories",
      "usage",
      "localization",
      "agents",
      "durable-documents",
      "admin"
    ]
  },
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
    text: "Operation",
    pages: [
      "runbook",
      "resilience",
      "simulation",
      "errors",
      "clients",
      "backend",
      "observability",
      "performance"
    ]
  },
  {
    text: "Design",
    pages: ["decisions", "architecture", "contributing/parts", "contributing/performance", "versions", "releases/0.2.0"]
  }
]

/** Other files of the repository that are pages. */
export const others: Readonly<Record<string, string>> = {
  "README.md": "index",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "security",
  "CODE_OF_CONDUCT.md": "code-of-conduct"
}
