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

const byKey = (key: string) => key

const yamlOf = (texts: Texts, indent: string) =>
  Object.entries(texts).map(([key, text]) => `${indent}${key}: ${JSON.stringify(text)}\n`).join("")

/** Lines with the ends of Windows. */
const lines = (...all: ReadonlyArray<string>) => all.map((line) => `${line}\r\n`).join("")

const jsonOf = (rows: ReadonlyArray<Row>, first: ReadonlyArray<string>) =>
  `\ufeff${
    lines(
      "{",
      [
        ...first,
        ...rows.map(({ key, text }) =>
          `\t"${key}" : ${JSON.stringify(text).replaceAll("é", "\\u00e9").replaceAll("/", "\\/")}`
        )
      ].join(",\r\n"),
      "}"
    )
  }`

const singleQuoted = ({ key, text }: Row, indent: string) =>
  `${indent}'${key}':   '${text.replaceAll("'", "''")}' # by Ada`

/** A text with the escapes of Android. */
const androidOf = (text: string) =>
  xml(text).replaceAll(/['"\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll(/^ | $|(?<= ) /g, "\\u0020")

/** A text with the escapes of properties. */
const propertyOf = (text: string) =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replace(/^ /, "\\ ").replaceAll("é", "\\u00e9")

const catalogOf = (strings: ReadonlyArray<string>) =>
  `{\n\t"sourceLanguage" : "en",\n\t"strings" : {\n\t\t${strings.join(",\n\t\t")}\n\t},\n\t"version" : "1.0"\n}\n`

const targetOf = (text: string | undefined) => text === undefined ? "" : `<target>${xml(text)}</target>`

/** All formats. */
export const kinds: ReadonlyArray<Kind> = [
  {
    name: "JSON",
    file: "{language}.json",
    spelled: `"title": "Seite\\u00e9\\/"`,
    placeholder: "{{name}}",
    print: (_, __, texts) => JSON.stringify(texts, null, 2),
    idOf: byKey,
    byHand: (rows) => jsonOf(rows, [`\t"_by": 7`])
  },
  {
    name: "ARB",
    file: "{language}.arb",
    spelled: `"title": "Seite\\u00e9\\/"`,
    placeholder: "{name}",
    unclosed: "{name",
    print: (language, _, texts) => JSON.stringify({ "@@locale": language, ...texts }, null, 2),
    idOf: byKey,
    byHand: (rows) => jsonOf(rows, [`\t"@@locale" : "de"`, `\t"@@x-by": {"x": "Ada"}`])
  },
  {
    name: "YAML",
    file: "{language}.yaml",
    spelled: `title: 'Seiteé/'`,
    placeholder: "{name}",
    unclosed: "{name",
    print: (_, __, texts) => yamlOf(texts, ""),
    idOf: byKey,
    byHand: (rows) => lines("# German", ...rows.map((row) => singleQuoted(row, "")), "", "# the end")
  },
  {
    name: "YAML of Rails",
    file: "{language}.yml",
    spelled: `title: Seiteé/`,
    placeholder: "%{name}",
    print: (language, _, texts) => `${language}:\n${yamlOf(texts, "  ")}`,
    idOf: byKey,
    byHand: (rows) =>
      lines("'de': # German", "", ...rows.map((row) => singleQuoted(row, "    ")), "    order: [:day, :month]")
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
    idOf: (_, text) => text,
    byHand: (rows) =>
      lines(
        `# German`,
        `msgid ""`,
        `msgstr "Language: de\\n"`,
        `"Content-Type: text/plain; charset=UTF-8\\n"`,
        ...rows.flatMap(({ source, text }) => [
          ``,
          `# by Ada`,
          `#: a.c:10`,
          `msgid ""`,
          JSON.stringify(source),
          `msgstr ""`,
          JSON.stringify(text)
        ]),
        ``,
        `#~ msgid "old"`,
        `#~ msgstr "alt"`
      )
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
    idOf: (key) => `f/${key}`,
    byHand: (rows) =>
      lines(
        `<?xml version='1.0'?>`,
        `<xliff version='1.2'><file target-language='de' original='f'><header/><body>`,
        ...rows.map(({ key, source, text }) =>
          `\t<trans-unit id='${key}'><note>by Ada</note><source>${xml(source)}</source><target state='final'>${
            xml(text)
          }</target></trans-unit>`
        ),
        `<!-- the end --></body></file></xliff>`
      ),
    without: /[<>&]/g
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
    idOf: (key) => `f/${key}`,
    byHand: (rows) =>
      lines(
        `<xliff trgLang='de' version='2.0'><file id='f'><notes><note>German</note></notes>`,
        ...rows.map(({ key, source, text }) =>
          `\t<unit id='${key}'><segment state='final'><source>${xml(source)}</source><target>${
            xml(text)
          }</target></segment></unit>`
        ),
        `</file></xliff>`
      ),
    without: /[<>&]/g
  },
  {
    name: "Android",
    file: "{language}.xml",
    spelled: `<string name='title'>"Seiteé/"</string>`,
    usual: `<string name="title">Seiteé/</string>`,
    placeholder: "%s",
    print: (_, __, texts) =>
      `<resources>\n${
        Object.entries(texts).map(([key, text]) => `<string name="${key}">${androidOf(text)}</string>\n`).join("")
      }</resources>\n`,
    idOf: byKey,
    byHand: (rows) =>
      lines(
        `<?xml version='1.0'?>`,
        `<!-- German -->`,
        `<resources xmlns:tools='http://schemas.android.com/tools'>`,
        `\t<color name='brand'>#fff</color>`,
        ...rows.map(({ key, text }) =>
          `\t<string name='${key}' tools:by='Ada'>"${text.replaceAll(/["\\]/g, "\\$&")}"</string>`
        ),
        `<!-- the end --></resources>`
      ),
    without: /[<>&]/g
  },
  {
    name: ".NET resources",
    file: "Texts.{language}.resx",
    spelled: `<data name='title'><comment>Ada</comment><value>Seiteé/</value></data>`,
    usual: `<data name="title" xml:space="preserve"><value>Seiteé/</value></data>`,
    placeholder: "{name}",
    print: (_, __, texts) =>
      `<root>\n${
        Object.entries(texts).map(([key, text]) =>
          `<data name="${key}" xml:space="preserve"><value>${xml(text)}</value></data>\n`
        ).join("")
      }</root>\n`,
    idOf: byKey,
    byHand: (rows) =>
      lines(
        `<?xml version='1.0'?>`,
        `<root>`,
        `\t<resheader name='version'><value>2.0</value></resheader>`,
        ...rows.map(({ key, text }) =>
          `\t<data name='${key}'><comment>Ada</comment><value>${xml(text)}</value></data>`
        ),
        `</root>`
      )
  },
  {
    name: "properties",
    file: "texts_{language}.properties",
    spelled: `title : Seite\\\n  é/`,
    usual: `title=Seite\\u00e9/`,
    placeholder: "{name}",
    unclosed: "{name",
    print: (_, __, texts) =>
      Object.entries(texts).map(([key, text]) => `${key.replaceAll(" ", "\\ ")}=${propertyOf(text)}\n`).join(""),
    idOf: byKey,
    byHand: (rows) =>
      lines(
        `# German`,
        ``,
        ...rows.flatMap(({ key, text }) => [`  ! by Ada`, ` ${key} :  ${propertyOf(text)}`]),
        `# end`
      )
  },
  {
    name: "Apple strings",
    file: "{language}.strings",
    spelled: `title = "Seite\\U00e9/";`,
    usual: `"title" = "Seiteé/";`,
    placeholder: "%@",
    print: (_, __, texts) =>
      Object.entries(texts).map(([key, text]) =>
        `"${key}" = "${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}";\n`
      ).join(""),
    idOf: byKey,
    byHand: (rows) =>
      `\ufeff${
        lines(
          `/* German */`,
          ``,
          ...rows.flatMap(({ key, text }) => [
            `/* by`,
            `   Ada */`,
            `  ${key}="${text.replaceAll(/["\\]/g, "\\$&").replaceAll("é", "\\U00e9")}" ; // Ada`
          ])
        )
      }`
  },
  {
    name: "string catalog",
    file: "{language}.xcstrings",
    spelled: `"value" : "Seite\\u00e9\\/", "state" : "translated"`,
    usual: `"state": "translated", "value": "Seiteé/"`,
    placeholder: "%@",
    print: (language, source, texts) =>
      catalogOf(
        Object.keys(source).map((key) =>
          `${JSON.stringify(key)}: {"localizations": {${
            texts[key] === undefined
              ? ""
              : `"${language}": {"stringUnit": {"state": "translated", "value": ${JSON.stringify(texts[key])}}}`
          }}}`
        )
      ),
    idOf: byKey,
    byHand: (rows) =>
      catalogOf(
        rows.map(({ key, source, text }) =>
          `${
            JSON.stringify(key)
          } : { "comment" : "by Ada", "localizations" : { "fr" : { "stringUnit" : { "state" : "new", "value" : "" } }, ` +
          `"de" : {"stringUnit" : { "value" : ${JSON.stringify(text)}, "state" : "translated" }}, ` +
          `"en" : {"stringUnit" : {"state" : "translated", "value" : ${JSON.stringify(source)} }} } }`
        )
      ).replaceAll("\n", "\r\n")
  }
]
