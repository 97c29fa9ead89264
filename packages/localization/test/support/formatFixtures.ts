/** Fixtures of every format, for the suites that run over all of them. */

/** Texts by their keys. */
export type Texts = Readonly<Record<string, string>>

/** A format with the fixtures of its tests: a new format is another entry of `kinds`. */
export interface Kind {
  readonly name: string
  readonly file: string
  readonly placeholder: string
  /** The title in a German file, as a person or another program writes it, and the end of that file. */
  readonly spelled: string
  readonly end?: string
  /** A text that cannot be sent. */
  readonly unclosed?: string
  /** The file of a language: the texts of the source, and its own. */
  readonly print: (language: string, source: Texts, texts: Texts) => string
  readonly idOf: (key: string, text: string) => string
}

/** A text as XML. */
export const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** The text of XML. */
export const plainOf = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

const byKey = (key: string) => key

const yamlOf = (texts: Texts, indent: string) =>
  Object.entries(texts).map(([key, text]) => `${indent}${key}: ${JSON.stringify(text)}\n`).join("")

const targetOf = (text: string | undefined) => text === undefined ? "" : `<target>${xml(text)}</target>`

/** All formats. */
export const kinds: ReadonlyArray<Kind> = [
  {
    name: "JSON",
    file: "{language}.json",
    spelled: `"title": "Seite\\u00e9\\/"`,
    placeholder: "{{name}}",
    print: (_, __, texts) => JSON.stringify(texts, null, 2),
    idOf: byKey
  },
  {
    name: "ARB",
    file: "{language}.arb",
    spelled: `"title": "Seite\\u00e9\\/"`,
    placeholder: "{name}",
    unclosed: "{name",
    print: (language, _, texts) => JSON.stringify({ "@@locale": language, ...texts }, null, 2),
    idOf: byKey
  },
  {
    name: "YAML",
    file: "{language}.yaml",
    spelled: `title: 'Seiteé/'`,
    placeholder: "{name}",
    unclosed: "{name",
    print: (_, __, texts) => yamlOf(texts, ""),
    idOf: byKey
  },
  {
    name: "YAML of Rails",
    file: "{language}.yml",
    spelled: `title: Seiteé/`,
    placeholder: "%{name}",
    print: (language, _, texts) => `${language}:\n${yamlOf(texts, "  ")}`,
    idOf: byKey
  },
  {
    name: "PO",
    file: "{language}.po",
    spelled: `# Ada\nmsgid "My page"\nmsgstr ""\n"Seite"\n"é/"`,
    end: `\n#~ msgid "Old"\n#~ msgstr "Alt"\n`,
    placeholder: "%s",
    print: (language, source, texts) =>
      Object.entries(source).map(([key, text]) =>
        `msgid ${JSON.stringify(text)}\nmsgstr ${JSON.stringify(language === "en" ? "" : texts[key] ?? "")}\n`
      ).join("\n"),
    idOf: (_, text) => text
  },
  {
    name: "XLIFF 1.2",
    file: "{language}.xlf",
    spelled: `<source>My page</source><target state="final">Seiteé/</target><note>Ada</note>`,
    placeholder: `<x id="name"/>`,
    print: (language, source, texts) =>
      `<xliff version="1.2"><file original="f" target-language="${language}"><body>\n${
        Object.entries(source).map(([key, text]) =>
          `<trans-unit id="${key}"><source>${xml(text)}</source>${
            language === "en" ? "" : targetOf(texts[key])
          }</trans-unit>\n`
        ).join("")
      }</body></file></xliff>`.replaceAll("&lt;x id=\"name\"/>", "<x id=\"name\"/>"),
    idOf: (key) => `f/${key}`
  },
  {
    name: "XLIFF 2.0",
    file: "{language}.xliff",
    spelled: `<segment state="final"><source>My page</source><target>Seiteé/</target></segment>`,
    placeholder: `<ph id="name"/>`,
    print: (language, source, texts) =>
      `<xliff version="2.0" trgLang="${language}"><file id="f">\n${
        Object.entries(source).map(([key, text]) =>
          `<unit id="${key}"><segment><source>${xml(text)}</source>${
            language === "en" ? "" : targetOf(texts[key])
          }</segment></unit>\n`
        ).join("")
      }</file></xliff>`.replaceAll("&lt;ph id=\"name\"/>", "<ph id=\"name\"/>"),
    idOf: (key) => `f/${key}`
  }
]
