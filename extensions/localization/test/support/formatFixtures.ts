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
  /** The same as `print` spells it, where that is not the property or element of another format. */
  readonly usual?: string
  readonly end?: string
  /** A text that cannot be sent. */
  readonly unclosed?: string
  /** The file of a language: the texts of the source, and its own. */
  readonly print: (language: string, source: Texts, texts: Texts) => string
  readonly idOf: (key: string, text: string) => string
  /** The same file in German by other hands: with other quotes, indentation, comments and line ends. Each text is on a line. */
  readonly byHand: (rows: ReadonlyArray<Row>) => string
  /** What a text cannot have, in addition to control characters. */
  readonly without?: RegExp
}

/** A text of a target. */
export interface Row {
  readonly key: string
  readonly source: string
  readonly text: string
}

/** A text as XML. */
export const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** The text of XML. */
export const plainOf = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** Prints the texts of one language, each by `line`. */
const texts = (line: (key: string, text: string) => string, head = "", end = ""): Kind["print"] => (_, __, texts) =>
  head + Object.entries(texts).map(([key, text]) => line(key, text)).join("") + end

/** Prints a unit of XLIFF for each text of the source, with a target except in English. */
const units =
  (head: string, before: string, after: string, end: string): Kind["print"] => (language, source, texts) => {
    const unit = ([key, text]: readonly [string, string]) => {
      const target = language === "en" || texts[key] === undefined ? "" : `<target>${xml(texts[key])}</target>`
      return `${before.replace("{key}", key)}<source>${xml(text)}</source>${target}${after}\n`
    }
    return `${head.replace("{language}", language)}\n${Object.entries(source).map(unit).join("")}${end}`
      .replaceAll(/&lt;((?:x|ph) id="name"\/>)/g, "<$1")
  }

/** A file with the line ends of Windows: a head, one or more lines for each text, and an end. */
const byHand = (head: string, lines: (row: Row) => string, end = ""): Kind["byHand"] => (rows) =>
  [head, ...rows.map(lines), end].map((part) => part === "" ? "" : `${part}\n`).join("").replaceAll("\n", "\r\n")

const escapedJson = (text: string) => JSON.stringify(text).replaceAll("é", "\\u00e9").replaceAll("/", "\\/")

const jsonByHand = (head: string): Kind["byHand"] => (rows) =>
  `\ufeff{\r\n${[head, ...rows.map(({ key, text }) => `\t"${key}" : ${escapedJson(text)}`)].join(",\r\n")}\r\n}\r\n`

const yaml = (key: string, text: string) => `${key}: ${JSON.stringify(text)}\n`

const singleQuoted = ({ key, text }: Row) => `'${key}':   '${text.replaceAll("'", "''")}' # by Ada`

/** A text with the escapes of Android. */
const androidOf = (text: string) =>
  xml(text).replaceAll(/['"\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll(/^ | $|(?<= ) /g, "\\u0020")

/** A text with the escapes of properties. */
const propertyOf = (text: string) =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replace(/^ /, "\\ ").replaceAll("é", "\\u00e9")

const quotesOf = (text: string) => text.replaceAll(/["\\]/g, "\\$&")

const catalogOf = (strings: ReadonlyArray<string>) =>
  `{\n\t"sourceLanguage" : "en",\n\t"strings" : {\n\t\t${strings.join(",\n\t\t")}\n\t},\n\t"version" : "1.0"\n}\n`

type Named = Partial<Kind> & Pick<Kind, "spelled" | "print" | "byHand">

const kind = (name: string, file: string, placeholder: string, fixtures: Named): Kind => ({
  name,
  file,
  placeholder,
  idOf: (key) => key,
  ...fixtures
})

/** All formats. */
export const kinds: ReadonlyArray<Kind> = [
  kind("JSON", "{language}.json", "{{name}}", {
    spelled: `"title": "Seite\\u00e9\\/"`,
    print: (_, __, texts) => JSON.stringify(texts, null, 2),
    byHand: jsonByHand(`\t"_by": 7`)
  }),
  kind("ARB", "{language}.arb", "{name}", {
    spelled: `"title": "Seite\\u00e9\\/"`,
    unclosed: "{name",
    print: (language, _, texts) => JSON.stringify({ "@@locale": language, ...texts }, null, 2),
    byHand: jsonByHand(`\t"@@locale" : "de",\r\n\t"@@x-by": {"x": "Ada"}`)
  }),
  kind("YAML", "{language}.yaml", "{name}", {
    spelled: `title: 'Seiteé/'`,
    unclosed: "{name",
    print: texts(yaml),
    byHand: byHand("# German", singleQuoted, "\n# the end")
  }),
  kind("YAML of Rails", "{language}.yml", "%{name}", {
    spelled: `title: Seiteé/`,
    print: (language, ...of) => texts((...line) => `  ${yaml(...line)}`, `${language}:\n`)(language, ...of),
    byHand: byHand("'de': # German\n", (row) => `    ${singleQuoted(row)}`, "    order: [:day, :month]")
  }),
  kind("PO", "{language}.po", "%s", {
    spelled: `# Ada\nmsgid "My page"\nmsgstr ""\n"Seite"\n"é/"`,
    end: `\n#~ msgid "Old"\n#~ msgstr "Alt"\n`,
    print: (language, source, texts) =>
      Object.entries(source).map(([key, text]) =>
        `msgid ${JSON.stringify(text)}\nmsgstr ${JSON.stringify(language === "en" ? "" : texts[key] ?? "")}\n`
      ).join("\n"),
    idOf: (_, text) => text,
    byHand: byHand(
      `# German\nmsgid ""\nmsgstr "Language: de\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"`,
      ({ source, text }) =>
        `\n# by Ada\n#: a.c:10\nmsgid ""\n${JSON.stringify(source)}\nmsgstr ""\n${JSON.stringify(text)}`,
      `\n#~ msgid "old"\n#~ msgstr "alt"`
    )
  }),
  kind("XLIFF 1.2", "{language}.xlf", `<x id="name"/>`, {
    spelled: `<source>My page</source><target state="final">Seiteé/</target><note>Ada</note>`,
    print: units(
      `<xliff version="1.2"><file original="f" target-language="{language}"><body>`,
      `<trans-unit id="{key}">`,
      "</trans-unit>",
      "</body></file></xliff>"
    ),
    idOf: (key) => `f/${key}`,
    byHand: byHand(
      `<?xml version='1.0'?>\n<xliff version='1.2'><file target-language='de' original='f'><header/><body>`,
      ({ key, source, text }) =>
        `\t<trans-unit id='${key}'><note>by Ada</note><source>${xml(source)}</source>` +
        `<target state='final'>${xml(text)}</target></trans-unit>`,
      "<!-- the end --></body></file></xliff>"
    ),
    without: /[<>&]/g
  }),
  kind("XLIFF 2.0", "{language}.xliff", `<ph id="name"/>`, {
    spelled: `<segment state="final"><source>My page</source><target>Seiteé/</target></segment>`,
    print: units(
      `<xliff version="2.0" trgLang="{language}"><file id="f">`,
      `<unit id="{key}"><segment>`,
      "</segment></unit>",
      "</file></xliff>"
    ),
    idOf: (key) => `f/${key}`,
    byHand: byHand(
      `<xliff trgLang='de' version='2.0'><file id='f'><notes><note>German</note></notes>`,
      ({ key, source, text }) =>
        `\t<unit id='${key}'><segment state='final'><source>${xml(source)}</source>` +
        `<target>${xml(text)}</target></segment></unit>`,
      "</file></xliff>"
    ),
    without: /[<>&]/g
  }),
  kind("Android", "{language}.xml", "%s", {
    spelled: `<string name='title'>"Seiteé/"</string>`,
    usual: `<string name="title">Seiteé/</string>`,
    print: texts(
      (key, text) => `<string name="${key}">${androidOf(text)}</string>\n`,
      "<resources>\n",
      "</resources>\n"
    ),
    byHand: byHand(
      `<?xml version='1.0'?>\n<!-- German -->\n<resources xmlns:tools='http://schemas.android.com/tools'>\n` +
        `\t<color name='brand'>#fff</color>`,
      ({ key, text }) => `\t<string name='${key}' tools:by='Ada'>"${quotesOf(text)}"</string>`,
      "<!-- the end --></resources>"
    ),
    without: /[<>&]/g
  }),
  kind(".NET resources", "Texts.{language}.resx", "{name}", {
    spelled: `<data name='title'><comment>Ada</comment><value>Seiteé/</value></data>`,
    usual: `<data name="title" xml:space="preserve"><value>Seiteé/</value></data>`,
    print: texts(
      (key, text) => `<data name="${key}" xml:space="preserve"><value>${xml(text)}</value></data>\n`,
      "<root>\n",
      "</root>\n"
    ),
    byHand: byHand(
      `<?xml version='1.0'?>\n<root>\n\t<resheader name='version'><value>2.0</value></resheader>`,
      ({ key, text }) => `\t<data name='${key}'><comment>Ada</comment><value>${xml(text)}</value></data>`,
      "</root>"
    )
  }),
  kind("properties", "texts_{language}.properties", "{name}", {
    spelled: `title : Seite\\\n  é/`,
    usual: `title=Seite\\u00e9/`,
    unclosed: "{name",
    print: texts((key, text) => `${key.replaceAll(" ", "\\ ")}=${propertyOf(text)}\n`),
    byHand: byHand("# German\n", ({ key, text }) => `  ! by Ada\n ${key} :  ${propertyOf(text)}`, "# end")
  }),
  kind("Apple strings", "{language}.strings", "%@", {
    spelled: `title = "Seite\\U00e9/";`,
    usual: `"title" = "Seiteé/";`,
    print: texts((key, text) => `"${key}" = "${quotesOf(text).replaceAll("\n", "\\n")}";\n`),
    byHand: byHand(
      "\ufeff/* German */\n",
      ({ key, text }) => `/* by\n   Ada */\n  ${key}="${quotesOf(text).replaceAll("é", "\\U00e9")}" ; // Ada`
    )
  }),
  kind("string catalog", "{language}.xcstrings", "%@", {
    spelled: `"value" : "Seite\\u00e9\\/", "state" : "translated"`,
    usual: `"state": "translated", "value": "Seiteé/"`,
    print: (language, source, texts) =>
      catalogOf(
        Object.keys(source).map((key) => {
          const value = JSON.stringify(texts[key])
          const unit = `"${language}": {"stringUnit": {"state": "translated", "value": ${value}}}`
          return `${JSON.stringify(key)}: {"localizations": {${texts[key] === undefined ? "" : unit}}}`
        })
      ),
    byHand: (rows) =>
      catalogOf(
        rows.map(({ key, source, text }) =>
          `${JSON.stringify(key)} : { "comment" : "by Ada", ` +
          `"localizations" : { "fr" : { "stringUnit" : { "state" : "new", "value" : "" } }, ` +
          `"de" : {"stringUnit" : { "value" : ${JSON.stringify(text)}, "state" : "translated" }}, ` +
          `"en" : {"stringUnit" : {"state" : "translated", "value" : ${JSON.stringify(source)} }} } }`
        )
      ).replaceAll("\n", "\r\n")
  })
]
