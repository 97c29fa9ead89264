// Small projects, each with the result of a check, of a run, and of the check after it.
import type * as Localization from "@effect-lingua/localization/Localization"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { hasOtherForms } from "../src/formats/internal/markup.ts"
import { makeProject, services } from "./support/projects.ts"

type Texts = Readonly<Record<string, string>>

interface Result {
  /** `id state` of each problem before the first run. */
  readonly check: ReadonlyArray<string>
  /** The texts of the first run as they were sent. */
  readonly sent: ReadonlyArray<string>
  /** What looks like a placeholder and is not protected. */
  readonly unprotected: ReadonlyArray<string>
  /** Plurals of i18next v3 in a language with other forms. */
  readonly plurals: ReadonlyArray<string>
  /** Problems of the first run. */
  readonly refused: ReadonlyArray<string>
  /** Files that are new or changed after it. */
  readonly written: Texts
  /** `id state` of each problem after it. */
  readonly after: ReadonlyArray<string>
}

interface Case {
  readonly files: Texts
  readonly project?: object
  /** Replacements in the responses of the service. */
  readonly answer?: Texts
  readonly encoding?: "utf8" | "utf16le"
  /** Files that change after the first run. */
  readonly changed?: Texts
  readonly expected: Partial<Result>
}

const json = (texts: object) => JSON.stringify(texts)
const message = (one: string, other: string) => `{n, plural, one {${one}} other {${other}}}`
const unit = (value: string) => ({ stringUnit: { state: "translated", value } })
const catalog = (strings: object) => json({ sourceLanguage: "en", strings, version: "1.0" })
const ofXcode = (strings: object) =>
  JSON.stringify({ sourceLanguage: "en", strings, version: "1.0" }, null, 2).replaceAll(`":`, `" :`)
    .replaceAll("{}", "{\n\n    }")
const keyed = (language: string, text: string) =>
  `<xliff version="1.2"><file source-language="en" target-language="${language}" original="x"><body>` +
  `<trans-unit id="q1"><source>cart.sum</source><target>${text}</target></trans-unit></body></file></xliff>`
const ofAngular = (source: string, target: string) =>
  `<xliff version="1.2"><file source-language="en" original="x"${target === "" ? "" : ` target-language="de"`}><body>` +
  `<trans-unit id="a"><source>${source}</source>${target}</trans-unit></body></file></xliff>`
const ago = `<x id="I" equiv-text="{{minutes}}"/> ago`
const header = `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n`
const android = (content: string) => `<resources>\n${content}\n</resources>\n`
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16)
const nothing = { check: [], sent: [], refused: [], written: {}, after: [] }

/** Translations that a run keeps. */
const complete: Readonly<Record<string, Texts>> = {
  "a catalog's target with substitutions": {
    "T.xcstrings": catalog({
      "follow %lld": {
        localizations: {
          en: unit("follows you"),
          de: {
            ...unit("%#@people@"),
            substitutions: {
              people: { formatSpecifier: "lld", variations: { plural: { other: unit("folgen dir") } } }
            }
          }
        }
      }
    })
  },
  "a catalog's target by device": {
    "T.xcstrings": catalog({
      Press: { localizations: { de: { variations: { device: { mac: unit("Klicken"), other: unit("Tippen") } } } } }
    })
  },
  "a catalog's targets in other shapes, and what is not used any more": {
    "T.xcstrings": catalog({
      "%lld days": {
        localizations: {
          en: { variations: { plural: { one: unit("%lld day"), other: unit("%lld days") } } },
          de: unit("%lld Tg.")
        }
      },
      Files: { localizations: { de: { variations: { plural: { one: unit("Datei"), other: unit("Dateien") } } } } },
      Old: { extractionState: "stale", localizations: { de: unit("Alt") } },
      Gone: { extractionState: "stale" }
    })
  },
  "XLIFF with keys as sources": {
    "en.xlf": keyed("en", "It costs <b>much</b>"),
    "de.xlf": keyed("de", "Es kostet <b>viel</b>")
  },
  "XLIFF with other words for an element": {
    "en.xlf": keyed("en", `Hi <x id="PH" equiv-text="a > b"/>`),
    "de.xlf": keyed("de", `Hallo <x id="PH" equiv-text="a > b&#10;"/>`)
  },
  "formats of Rails": {
    "en.yml": `en:\n  date:\n    formats:\n      long: "%B %d"\n  a: A\n`,
    "de.yml": `de:\n  date:\n    formats:\n      long: "%-d. %B"\n  a: Ä\n`
  }
}

const cases: Readonly<Record<string, Case>> = {
  "a translation that is no message any more, beside double braces": {
    files: {
      "en.json": json({ a: message("# seat", "# seats"), b: message("{who} came", "{who} came") }),
      "de.json": json({ a: "{n, Mehrzahl, eins {# Platz} andere {# Plätze}}", b: message("{who} kam", "{who} kamen") })
    },
    expected: { check: ["a broken"], sent: [] }
  },
  "an apostrophe before a tag in a plural": {
    files: { "en.json": json({ a: message("# copy of <b>it</b>", "# copies of <b>it</b>") }) },
    project: { targets: ["fr"] },
    answer: { "copy of ": "copie d'", "copies of ": "copies d'" },
    expected: {
      written: {
        "fr.json": json({
          a: "{n, plural, one {# copie d''<b>it</b>} many {# copies d''<b>it</b>} other {# copies d''<b>it</b>}}"
        })
      },
      after: []
    }
  },
  "a lost tag in JSON": {
    files: { "en.json": json({ a: "<1>Press</1> here" }), "de.json": json({ a: "<1>Hier drücken" }) },
    expected: { check: ["a broken"] }
  },
  "c-format in a project of messages": {
    files: { "en.po": `${header}#, c-format\nmsgid "%s is full"\nmsgstr ""\n` },
    project: { placeholders: "icu" },
    answer: { "%s is full": "Es ist voll" },
    expected: { sent: [`<x id="0">%s</x> is full`], after: [] }
  },
  "one text with double braces among messages, and none of both": {
    files: {
      "en.json": json({ a: "Hi {{name}}", b: message("# seat", "# seats"), c: "By {who}", d: "At {x.y}", e: "On %s" })
    },
    expected: {
      sent: [
        `Hi <x id="0">{{name}}</x>`,
        `<x id="0">{number_of_plural}</x> seat`,
        `<x id="0">{number_of_plural}</x> seats`,
        `By <x id="0">{who}</x>`,
        `At <x id="0">{x.y}</x>`,
        `On <x id="0">%s</x>`
      ],
      after: []
    }
  },
  "messages in PO": {
    files: {
      "en.po":
        `${header}msgid "{count, number} of {all}"\nmsgstr ""\n\n#, python-format\nmsgid "%(n)s {x}"\nmsgstr ""\n`
    },
    expected: {
      sent: [`<x id="0">{count, number}</x> of <x id="1">{all}</x>`, `<x id="0">%(n)s</x> {x}`],
      unprotected: ["%(n)s {x}: {x}"],
      after: []
    }
  },
  "plural forms with intervals of Symfony": {
    files: {
      "en.yaml":
        "a: '{0} none|one %count%|]1,Inf] many'\nb: '{0} none|{1} one|%count% more'\nc: '{0} | {1} or more'\n" +
        "d: '[0,1] a|[2,*] b'\n",
      "de.yaml": "d: '[0,0] A|[1,1] B|[2,*] C'\n"
    },
    expected: {
      check: ["a refused", "b refused", "c missing"],
      sent: [`<x id="0">{0}</x> | <x id="1">{1}</x> or more`],
      refused: ["a", "b"].map((id) =>
        `${id}: its plural forms have intervals, or another number than the language; translate it by hand`
      )
    }
  },
  "half of a surrogate pair": {
    files: { "en.json": json({ a: "Hi \ud83d", b: "Hello" }) },
    expected: { sent: ["Hello"], refused: ["a: it has an unpaired surrogate"] }
  },
  "keys with a text in the comment of PO, and strings on one line": {
    files: {
      "en.po":
        `${header}#. Default: "A \\"b\\""\nmsgid "" "k_a"\nmsgstr ""\n\n#. Zope\n#. Default: ""\n#.  "C "\n#.  "d"\nmsgid "k_b"\n` +
        `msgstr ""\n\n#. Default: Say "e"\nmsgid "k_c"\nmsgstr "" ""\n\n#. Default: F\nmsgid "k_d"\nmsgstr "G" "H"\n`
    },
    expected: { sent: [`A "b"`, `Say "e"`, "GH", "C d"], refused: [], after: [] }
  },
  "comments of PO that are not the text": {
    files: {
      "en.po":
        `${header}#. Default: 30 seconds\nmsgid "Timeout of a request"\nmsgstr ""\n\n#. Default: "\\u12"\nmsgid "k_a"\n` +
        `msgstr ""\n\n#. Default: "a" or "b"\nmsgid "k_b"\nmsgstr ""\n\nmsgctxt "Default: x"\nmsgid "k_c"\nmsgstr ""\n`
    },
    expected: { sent: ["Timeout of a request", "k_a", "k_b", "k_c"], refused: [], after: [] }
  },
  "names of Symfony": {
    files: { "en.yaml": "a: Hi %name%, %count%s\nb: 100%ig %d%\n" },
    project: { placeholders: "printf" },
    expected: {
      sent: [`Hi <x id="0">%name%</x>, <x id="1">%c</x>ount<x id="2">%s</x>`, `100<x id="0">%i</x>g <x id="1">%d</x>%`]
    }
  },
  "forms, links and literals of vue-i18n": {
    files: { "en.json": json({ a: "car | {n} cars", b: "me{'@'}x.test", c: "See @:b.c", d: "@.lower:b by {name}" }) },
    answer: { " | ": ", " },
    expected: {
      sent: [
        `car | <x id="0">{n}</x> cars`,
        `me<x id="0">{'@'}</x>x.test`,
        `See <x id="0">@:b.c</x>`,
        `<x id="0">@.lower:b</x> by <x id="1">{name}</x>`,
        `car | <x id="0"></x> cars`
      ],
      refused: ["a: its separator | is lost in the translation"],
      after: ["a missing"]
    }
  },
  "a message that no parser reads": {
    files: { "en.json": json({ a: "{n, plural, one {the users'} other {pages}}", b: "{n, plural, one {x}}" }) },
    expected: { sent: [], written: {}, after: ["a refused", "b refused"] }
  },
  "a list where the target has an object": {
    files: { "en.json": json({ a: "Hi", l: ["x", "y"] }), "de.json": json({ a: "Hallo", l: { 0: "X" } }) },
    expected: { written: { "de.json": json({ a: "Hallo", l: ["X", "[de] y"] }) }, after: [] }
  },
  "a catalog's draft in another shape": {
    files: {
      "T.xcstrings": catalog({
        k: {
          localizations: {
            en: unit("Hello"),
            de: { variations: { plural: { other: { stringUnit: { state: "new", value: "" } } } } }
          }
        }
      })
    },
    expected: { check: ["k missing"], sent: ["Hello"], after: [] }
  },
  "an XLIFF target in the state new": {
    files: {
      "en.xlf": keyed("en", "Pay"),
      "de.xlf": keyed("de", "Pay").replace("<target>", `<target state="new">`)
    },
    expected: { check: ["x/q1 missing"], sent: ["Pay"] }
  },
  "branches of a select that were translated": {
    files: {
      "en.json": json({ a: "{g, select, male {He left} other {They left}}" }),
      "de.json": json({ a: "{g, select, männlich {Er ging} other {Sie gingen}}" })
    },
    expected: { check: ["a broken"], sent: [] }
  },
  "XLIFF with keys in a variant of the source's language": {
    files: { "en.xlf": keyed("en-US", "Pay").replace(`"en"`, `"en-US"`) },
    expected: { sent: ["Pay"] }
  },
  "resources of Compose": {
    files: { "composeResources/values/strings.xml": android(`  <string name="a">Don't</string>`) },
    expected: {
      written: { "composeResources/values-de/strings.xml": android(`  <string name="a">[de] Don't</string>`) },
      after: []
    }
  },
  "a tab in PO": {
    files: { "en.po": `${header}msgid "left\tright"\nmsgstr ""\n` },
    expected: { refused: [], after: [] }
  },
  "lines at the end": {
    files: { "m.properties": "a=One\nb=Two\nc=Three\n", "m_de.properties": "a=Eins" },
    expected: { written: { "m_de.properties": "a=Eins\nb=[de] Two\nc=[de] Three" } }
  },
  "properties in UTF-16": {
    files: { "m.properties": "\ufeffa=Hello\n" },
    encoding: "utf16le",
    answer: { Hello: "Höllo" },
    expected: { written: { "m_de.properties": "\ufeffa=Höllo\n" } }
  },
  "texts of two products": {
    files: {
      "values/strings.xml": android(
        `  <string name="a" product="tablet">Tablet</string>\n  <string name="a">Phone</string>`
      )
    },
    expected: { sent: ["Tablet", "Phone"] }
  },
  "a group that is not translated": {
    files: {
      "en.xlf": keyed("en", "Sum").replace("<body>", `<body><group translate="no">`).replace(
        "</body>",
        "</group></body>"
      )
    },
    expected: { sent: [] }
  },
  "a run that was killed after it wrote a file": {
    files: {
      "en.json": json({ a: "Hi" }),
      "de.json": json({ a: "[de] Hello" }),
      "effect-lingua.lock.json": json({
        version: 1,
        files: { "en.json": { de: { a: ["Old", "Alt", "Hello", "[de] Hello"].map(hashOf) } } }
      })
    },
    expected: { check: ["a changed"] }
  },
  "an entity of HTML": {
    files: { "en.json": json({ a: "Choose a file" }) },
    answer: { "Choose a file": "Datei ausw&auml;hlen" },
    expected: { written: { "de.json": json({ a: "Datei auswählen" }) } }
  },
  "a catalog's text that returns with another source": {
    files: {
      "T.xcstrings": catalog({
        k: { extractionState: "stale", localizations: { en: unit("Hello"), de: unit("[de] Hello") } },
        l: {}
      }),
      "effect-lingua.lock.json": json({
        version: 1,
        files: { "T.xcstrings": { de: { k: ["Hello", "[de] Hello"].map(hashOf) } } }
      })
    },
    changed: { "T.xcstrings": catalog({ k: { localizations: { en: unit("Hi"), de: unit("[de] Hello") } } }) },
    expected: { sent: ["l"], after: ["k changed"] }
  },
  "tags that are crossed, or entities": {
    files: {
      "en.json": json({ a: "<b>x</b>", b: "<b><i>x</i></b>", c: "<1>x</1>", d: "<b>A &amp; B</b>&nbsp;x" }),
      "de.json": json({ a: "&lt;b&gt;y&lt;/b&gt;", b: "<b><i>y</b></i>", c: "<1>y</1>", d: "<b>A und B</b> y" })
    },
    expected: { check: ["a broken", "b broken"] }
  },
  "entities in place of elements": {
    files: {
      "values/strings.xml": android(`<string name="a"><b>x</b></string>`),
      "values-de/strings.xml": android(`<string name="a">&lt;b>y&lt;/b></string>`)
    },
    expected: { check: ["a broken"] }
  },
  "names of Laravel and i18next, and numbers of Qt": {
    files: { "en.json": json({ a: "Hi :name, at 10:30", b: "%1 of %2.", c: "__count__ nodes" }) },
    expected: {
      sent: [
        `Hi <x id="0">:name</x>, at 10:30`,
        `<x id="0">%1</x> of <x id="1">%2</x>.`,
        `<x id="0">__count__</x> nodes`
      ],
      unprotected: []
    }
  },
  "an apostrophe before an element in a plural": {
    files: {
      "en.xlf": keyed("en", "").replace("cart.sum", message(`copy of <x id="I"/>`, `copies of <x id="I"/>`))
    },
    project: { targets: ["fr"] },
    answer: { "copy of ": "copie d'", "copies of ": "copies d'" },
    expected: { refused: [], after: [] }
  },
  "a lost number of a plural": {
    files: { "en.json": json({ a: message("# seat", "# seats") }) },
    answer: { "<x id=\"0\">{number_of_plural}</x>": "", "<x id=\"0\"></x>": "" },
    expected: { refused: ["a: its placeholder # is lost in the translation"], after: ["a missing"] }
  },
  "a file that cannot be read": {
    files: { "en.json": json({ a: "Hi" }), "b.en.json/x": "" },
    project: { files: ["{language}.json", "b.{language}.json"] },
    expected: {
      check: ["a missing", " unreadable"],
      refused: [": it is not a regular file"],
      written: { "de.json": json({ a: "[de] Hi" }) }
    }
  },
  "plurals as maps": {
    files: {
      "en.json": json({ n: { one: "%(count)s page", other: "%(count)s pages" } }),
      "pl.json": json({ n: { one: "%(count)s strona", few: "%(count)s strony", many: "%(count)s stron" } })
    },
    project: { targets: ["pl"] },
    expected: {
      check: ["n/other missing"],
      written: {
        "pl.json": json({
          n: {
            one: "%(count)s strona",
            other: "[pl] %(count)s pages",
            few: "%(count)s strony",
            many: "%(count)s stron"
          }
        })
      }
    }
  },
  "a message of Angular with an interpolation": {
    files: {
      "en.xlf": ofAngular(`{N, plural, =0 {now} other {${ago}}}`, "")
    },
    expected: {
      sent: ["now", ago, ago],
      written: {
        "de.xlf": ofAngular(
          `{N, plural, =0 {now} other {${ago}}}`,
          `<target>{N, plural, =0 {[de] now} one {[de] ${ago}} other {[de] ${ago}}}</target>`
        )
      }
    }
  },
  "an element with a prefix that the target does not declare": {
    files: {
      "values/strings.xml":
        `<resources xmlns:g="urn:g" xmlns:tools="t"><string name="a"><g:g>%s</g:g> left</string></resources>`,
      "values-de/strings.xml": "<resources/>"
    },
    expected: {
      sent: [`<g:g><placeholder id="0">%s</placeholder></g:g> left`],
      written: {
        "values-de/strings.xml":
          `<resources xmlns:g="urn:g"><string name="a">[de] <g:g>%s</g:g> left</string></resources>`
      }
    }
  },
  "plural forms that another language does not have": {
    files: {
      "en.json": json({ a: "One apple|%count% apples", b: "A|B", c: "One pear|%count% pears" }),
      "pl.json": json({ c: "gruszka|%count% gruszki|%count% gruszek" })
    },
    project: { targets: ["de", "pl"] },
    expected: {
      sent: [`One apple|<x id="0">%count%</x> apples`, "A|B", `One pear|<x id="0">%count%</x> pears`, "A|B"],
      refused: ["a: its plural forms have intervals, or another number than the language; translate it by hand"],
      after: ["a refused"]
    }
  },
  "texts without a letter to translate": {
    files: {
      "en.json": json({
        a: "—",
        b: "{{count}} / 100 %",
        c: "{0}: 1,000.00 →",
        d: "<b>{x}</b>&nbsp;🎉",
        e: message("#", "#"),
        f: "Hi"
      }),
      "pl.json": json({ a: "-", b: "" })
    },
    project: { targets: ["pl"] },
    changed: { "en.json": json({ a: "→", b: "{{count}} / 10 %", c: "{0}: Hi" }) },
    expected: {
      check: ["b", "c", "d", "e", "f"].map((id) => `${id} missing`),
      sent: ["Hi"],
      refused: [],
      written: {
        "pl.json": json({
          a: "-",
          b: "{{count}} / 100 %",
          c: "{0}: 1,000.00 →",
          d: "<b>{x}</b>&nbsp;🎉",
          e: "{n, plural, one {#} few {#} many {#} other {#}}",
          f: "[pl] Hi"
        })
      },
      after: ["a stale", "b changed", "c changed"]
    }
  },
  "a catalog of Xcode, whose items are sorted": {
    files: {
      "T.xcstrings": ofXcode({
        Bye: {},
        Hi: {
          extractionState: "manual",
          localizations: { en: unit("A"), "zh-HK": unit("B") },
          shouldTranslate: true
        },
        n: { localizations: { en: { variations: { plural: { one: unit("%lld a"), other: unit("%lld b") } } } } }
      })
    },
    project: { targets: ["zh-Hans", "pl"] },
    expected: {
      written: {
        "T.xcstrings": ofXcode({
          Bye: { localizations: { pl: unit("[pl] Bye"), "zh-Hans": unit("[zh-Hans] Bye") } },
          Hi: {
            extractionState: "manual",
            localizations: { en: unit("A"), pl: unit("[pl] A"), "zh-Hans": unit("[zh-Hans] A"), "zh-HK": unit("B") },
            shouldTranslate: true
          },
          n: {
            localizations: {
              en: { variations: { plural: { one: unit("%lld a"), other: unit("%lld b") } } },
              pl: {
                variations: {
                  plural: {
                    few: unit("[pl] %lld b"),
                    many: unit("[pl] %lld b"),
                    one: unit("[pl] %lld a"),
                    other: unit("[pl] %lld b")
                  }
                }
              },
              "zh-Hans": { variations: { plural: { other: unit("[zh-Hans] %lld b") } } }
            }
          }
        })
      },
      after: []
    }
  },
  "plurals of i18next v3": {
    files: { "en.json": json({ a: "{{count}} a", a_plural: "{{count}} b", s: { x_plural: "X" } }) },
    project: { targets: ["de", "pl"] },
    expected: { plurals: ["a_plural"], refused: [], after: [] }
  },
  "forms of Laravel and vue-i18n, and a title": {
    files: {
      "en.json": json({ a: "{0} none|[1,19] some|[20,*] many", b: "car | cars", c: "Yes | No" }),
      "de.json": json({ c: "Ja | Nein" })
    },
    answer: { "car | cars": "Auto | Autos" },
    expected: {
      check: ["a refused", "b missing"],
      sent: ["car | cars"],
      refused: ["a: its plural forms have intervals, or another number than the language; translate it by hand"],
      written: { "de.json": json({ b: "Auto | Autos", c: "Ja | Nein" }) },
      after: ["a refused"]
    }
  },
  "a source of two entries": {
    files: { "locales/en/en.json": json({ a: "A" }), "locales/en/b.json": json({ b: "B" }) },
    project: { files: ["locales/{language}/*.json", "locales/{language}/{language}.json"] },
    expected: {
      sent: ["A", "B"],
      written: { "locales/de/b.json": json({ b: "[de] B" }), "locales/de/de.json": json({ a: "[de] A" }) }
    }
  },
  "a section's comment": {
    files: {
      "values/strings.xml": android(
        `  <!-- Pages -->\n  <string name="host" translatable="false">x</string>\n  <string name="home">Home</string>`
      )
    },
    expected: {
      written: { "values-de/strings.xml": android(`  <!-- Pages -->\n  <string name="home">[de] Home</string>`) }
    }
  }
}

/** Texts by hand in the place of a text of the source. */
const inTheWay: Readonly<Record<string, readonly [files: Texts, problem: string]>> = {
  "texts where the source has a text": [
    { "en.json": json({ a: "A", b: "B" }), "de.json": json({ a: { x: "X" } }) },
    "a/x has another form than its source a; move or delete it"
  ],
  "a text where the source has texts": [
    { "en.yaml": "a:\n  b: B\n", "de.yaml": "a: Ä\n" },
    "a has another form than its source a; move or delete it"
  ],
  "an anchor where the source has a text": [
    { "en.yaml": "a: A\n", "de.yaml": "a: &a\n  x: X\nb: *a\n" },
    "a has another form than its source a; move or delete it"
  ],
  "an entry without its plural": [
    {
      "en.po": `${header}msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n`,
      "de.po": `${header}msgid "a"\nmsgstr "ä"\n`
    },
    "line 5, column 8: only one of source and target is a plural; move or delete it"
  ]
}

/** The usual path of a target: `m_de.properties`, `values-de/strings.xml`, or `de` in the place of `en`. */
const targetOf = (source: string) =>
  source.replace(/\ben\b/, "{language}").replace(/(?=\.properties$)/, "_{language}")
    .replace(/values(?=\/)/, "values-{language}")

const resultOf = Effect.fnUntraced(function*({ changed = {}, encoding = "utf8", files, project }: Case) {
  const [source = ""] = Object.keys(files)
  const encoded = Object.entries(files).map(([name, text]) => [name, Buffer.from(text, encoding)])
  const own = yield* makeProject(
    { files: [{ source, target: targetOf(source) }], ...project },
    Object.fromEntries(encoded)
  )
  const open = Effect.map(own.open(), ({ problems, run, skipped }) => ({
    check: problems.map(({ id, state }) => `${id} ${state}`),
    run,
    namesOf: (kind: Localization.Skipped["what"]) => skipped.flatMap(({ names, what }) => what === kind ? names : [])
  }))
  const { check, namesOf, run } = yield* open
  const { done } = yield* run()
  const requests = yield* own.sent
  const written = own.files().map((name) => [name, own.read(name, encoding)] as const)
    .filter(([name, text]) => files[name] !== text)
  for (const [name, text] of Object.entries(changed)) own.write(name, text)
  const second = yield* open
  yield* second.run()
  const again = (yield* own.sent).length
  if (second.check.length === 0) assert.strictEqual(again, requests.length, "a second run sends nothing")
  return {
    check,
    unprotected: namesOf("unprotected"),
    plurals: namesOf("plurals"),
    sent: requests.flatMap((payload) => payload?.text ?? []),
    refused: done.flatMap(({ problems }) => problems.map(({ id, problem }) => `${id}: ${problem}`)),
    written: Object.fromEntries(written),
    after: second.check
  }
})

const go = `${header}msgid "Go"\nmsgstr ""\n`
const plural = (attributes: string, forms: Texts) =>
  `<plurals name="a"${attributes}>${
    Object.entries(forms).map(([key, text]) => `<item quantity="${key}">${text}</item>`).join("")
  }</plurals>`

/** Targets that a run leaves as they are, after an edit by hand and a change of the source. */
const dropped: Readonly<
  Record<string, {
    readonly language?: string
    readonly name: string
    readonly sources: readonly [string, string]
    readonly edit?: readonly [from: string, to: string]
    /** A change of the source and its target, when the texts are back. */
    readonly change: readonly [from: string, to: string]
  }>
> = {
  "the forms of a plural of PO, if one is by hand": {
    name: "{language}.po",
    sources: [`${go}\nmsgid "%d a"\nmsgid_plural "%d b"\nmsgstr[0] ""\nmsgstr[1] ""\n`, go],
    edit: ["[de] %d a", "Von Hand"],
    change: ["%d b", "%d c"]
  },
  "the forms of a plural of i18next, if one is by hand": {
    name: "{language}.json",
    sources: [json({ a_one: "{{count}} a", a_other: "{{count}} b", c: "C" }), json({ c: "C" })],
    edit: ["[de] {{count}} b", "Von Hand"],
    change: ["} a", "} c"]
  },
  "the forms of a plural of Android, if one is by hand": {
    name: "{language}/strings.xml",
    sources: [android(plural("", { one: "%d a", other: "%d b" })), android("")],
    edit: ["[de] %d a", "Von Hand"],
    change: ["%d b", "%d c"]
  },
  "the forms of a plural that is not translated any more": {
    language: "pl",
    name: "{language}/strings.xml",
    sources: [
      android(plural("", { one: "%d a", other: "%d b" })),
      android(plural(` translatable="false"`, { one: "%d a", other: "%d b" }))
    ],
    change: ["%d b", "%d c"]
  },
  "items of a list before one that stays, in JSON": {
    name: "{language}.json",
    sources: [
      json({ faq: [{ q: "A", a: "B" }, { q: "C", a: "D" }, { q: "E", a: "F" }] }),
      json({ faq: [{ q: "A", a: "B" }] })
    ],
    edit: ["[de] F", "Von Hand"],
    change: [`C"`, `C2"`]
  },
  "items of a list before one that stays, in YAML": {
    name: "{language}.yaml",
    sources: ["faq:\n  - q: A\n    a: B\n  - q: C\n    a: D\n  - q: E\n    a: F\n", "faq:\n  - q: A\n    a: B\n"],
    edit: ["de] F", "de] Von Hand"],
    change: [" C", " C2"]
  },
  "the name of an anchor": {
    name: "{language}.yaml",
    sources: ["a: &a A\nb: *a\nc: C\n", "c: C\n"],
    change: [" A", " A2"]
  }
}

it("a text has intervals only with a count", () => {
  assert.isFalse(hasOtherForms("|{1}|{2}", ""))
  assert.isTrue(hasOtherForms("|{1}|{2} %count%", ""))
})

describe("a run keeps", () => {
  it.effect.each(Object.entries(dropped))(
    "%s",
    ([, { change, edit: [from, to] = ["", ""], language = "de", name, sources }]) =>
      Effect.gen(function*() {
        const [source, target] = ["en", language].map((code) => name.replace("{language}", code))
        const project = { targets: [language], files: [name] }
        const { open, read, write } = yield* makeProject(project, { [source ?? ""]: sources[0] })
        const run = Effect.flatMap(open(), ({ run }) => run())
        yield* run
        const written = read(target ?? "")
        const before = written.replace(from, to)
        if (from !== "") assert.notStrictEqual(before, written)
        write(target ?? "", before)
        write(source ?? "", sources[1])
        assert.deepStrictEqual((yield* run).done.flatMap(({ problems }) => problems), [])
        assert.strictEqual(read(target ?? ""), before)
        // What is kept is still known as written by a run.
        assert.deepStrictEqual((yield* open()).costs.map(({ removed }) => removed), [0])
        write(source ?? "", sources[0].replaceAll(...change))
        yield* run
        assert.strictEqual(read(target ?? ""), before.replaceAll(...change))
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("a project with", () => {
  const kept = Object.entries(complete).map((
    [name, files]
  ): readonly [string, Case] => [name, { files, expected: nothing }])
  for (const [name, own] of [...kept, ...Object.entries(cases)]) {
    const replaced = (text: string) =>
      Object.entries(own.answer ?? {}).reduce((all, [from, to]) => all.replaceAll(from, to), text)
    const translate = (text: string) => replaced(text) === text ? undefined : replaced(text)
    it.effect(name, () =>
      Effect.gen(function*() {
        assert.deepInclude(yield* resultOf(own), own.expected)
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.merge(FakeLanguageService.layerServices({ taught: { translate } }), NodeServices.layer))
      ))
  }

  it.effect.each(Object.entries(inTheWay))(
    "%s is refused before anything is sent",
    ([, [files, problem]]) =>
      Effect.gen(function*() {
        const { refused, sent, written } = yield* resultOf({ files, expected: {} })
        assert.deepStrictEqual([refused, sent, written], [[`: ${problem}`], [], {}])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
