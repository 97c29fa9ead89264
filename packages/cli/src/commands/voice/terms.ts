/** `voice terms`: the commands on spoken terms. */
import { SpokenTermsId } from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { InvalidEntries } from "@effect-lingua/core/errors/CallError"
import type { SpokenTerms } from "@effect-lingua/core/voice/SpokenTerms"
import type { SpokenTermsCollection, TermList } from "@effect-lingua/core/voice/SpokenTermsApi"
import * as Effect from "effect/Effect"
import { call, calling } from "../../client/client.ts"
import { spokenTermsId } from "../../client/sample.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import * as Confirm from "../../screen/confirm.ts"
import { type Columns, fields, table } from "../../screen/table.ts"
import { argument, idArgument, required } from "../../settings/flags.ts"
import { group, showing, withResults } from "../command.ts"
import { inFile } from "../glossaries/glossary.ts"
import { commandsOf } from "../resource.ts"

const { spokenTermsCharacters, spokenTermsNameBytes } = Limits.defaults

const bound = { mebibytes: 1, reason: `a language has ${spokenTermsCharacters} characters of terms at most` }

/** Calls the service of spoken terms. */
const withService = calling(({ SpokenTerms }) => SpokenTerms)

/** Calls the service with the terms of a file, which errors about them name. */
const withTerms = Effect.fnUntraced(function*<A, E, R>(
  file: string,
  use: (service: SpokenTerms["Service"], terms: ReadonlyArray<string>) => Effect.Effect<A, E | InvalidEntries, R>
) {
  // A file of an editor can begin with a byte order mark.
  const terms = (yield* fileText(file, bound)).replace(/^\ufeff/, "").split(/\r?\n/)
  return yield* call((services) =>
    services.SpokenTerms.use((service) => use(service, terms)).pipe(inFile(services, () => file))
  )
})

const columns: Columns<TermList> = {
  LANGUAGE: ({ language }) => language,
  TERMS: ({ entryCount }) => entryCount
}

/** A collection with its lists. */
const shown = (collection: SpokenTermsCollection): Output.Results => ({
  json: [collection],
  human: (style) => {
    const { creationTime, name, spokenTermsId, termLists = [] } = collection
    const found = fields(style, { id: spokenTermsId, name, created: creationTime })
    return termLists.length === 0 ? found : `${found}\n\n${table(style, columns, termLists)}`
  }
})

/** A collection in a few words, for a question. */
const inWords = ({ name, termLists = [] }: SpokenTermsCollection): string =>
  `the spoken terms ${JSON.stringify(name)} with ` +
  (termLists.map(({ entryCount, language }) => `${language} (${entryCount ?? "?"})`).join(", ") || "no lists")

const id = {
  spokenTermsId: idArgument("spoken-terms-id", SpokenTermsId, "The id of spoken terms, as printed by voice terms list")
}
const name = argument("name", `A name of at most ${spokenTermsNameBytes} bytes; it need not be unique`)
const file = argument("file", "A file with a term in each line, - for standard input")
const language = required("language", "language", "The language in which the terms are spoken, such as en")

const { list, remove, show } = commandsOf({
  path: "voice terms",
  object: "collection",
  service: ({ SpokenTerms }) => SpokenTerms,
  ref: id,
  sample: spokenTermsId,
  show: "Show spoken terms with their languages and the number of terms of each",
  remove: "Delete spoken terms of all languages; it cannot be undone",
  shown,
  inWords
})

const listAll = list("List the collections of spoken terms", (service) => service.list(), {
  ID: ({ spokenTermsId }) => spokenTermsId,
  CREATED: ({ creationTime }) => creationTime,
  LANGUAGES: ({ termLists = [] }) => termLists.map(({ language }) => language).join(","),
  NAME: ({ name }) => name
})

const create = showing("create", {
  description: "Create spoken terms with those of a file; prints their id",
  examples: {
    [`printf 'Plimsoll line\\nfairlead\\n' | effect-lingua voice terms create --fake "Harbour" - --language en`]:
      "Of one language; replace adds other languages"
  },
  params: { name, file, language },
  run: ({ file, language, name }) =>
    withTerms(file, (service, terms) => service.create({ name, termLists: [{ language, terms }] })),
  shown: (collection) => Output.texts([collection], ({ spokenTermsId }) => spokenTermsId)
})

const rename = showing("rename", {
  description: "Rename spoken terms",
  examples: { [`effect-lingua voice terms rename --fake ${spokenTermsId} "New name"`]: "Another name" },
  params: { ...id, name },
  run: (input) => withService((service) => service.merge(input)),
  shown
})

const merge = showing("merge", {
  description: "Add the terms of a file to those of a language",
  examples: {
    [`echo bollard | effect-lingua voice terms merge --fake ${spokenTermsId} - --language en`]: "One more term"
  },
  params: { ...id, file, language },
  run: ({ file, language, spokenTermsId }) =>
    withTerms(file, (service, terms) => service.merge({ spokenTermsId, termLists: [{ language, terms }] })),
  shown
})

const replace = showing("replace", {
  description: "Replace all terms of a language by those of a file, or add the language",
  examples: {
    [`echo Klampe | effect-lingua voice terms replace --fake ${spokenTermsId} - --language de`]: "Another language"
  },
  params: { ref: { ...id, language }, file },
  run: ({ file, ref }) => withTerms(file, (service, terms) => service.replaceList({ ...ref, terms })),
  shown: (list) => Output.rows([list], columns)
})

const entries = showing("entries", {
  description: "Print the terms of a language, one in each line",
  examples: {
    [`effect-lingua voice terms entries --fake ${spokenTermsId} --language en`]: "As merge and replace read"
  },
  params: { ...id, language },
  run: (ref) => withService((service) => service.terms(ref)),
  shown: (terms) => Output.texts(terms, (term) => term)
})

const removeList = withResults("delete-list", {
  description: "Delete the terms of a language; it cannot be undone",
  examples: {
    [`effect-lingua voice terms delete-list --fake --yes ${spokenTermsId} --language en`]: "Without a question"
  },
  params: { ref: { ...id, language }, ...Confirm.flags },
  run: Effect.fnUntraced(function*({ ref, ...input }) {
    yield* withService((service) => {
      const action = Effect.map(service.get(ref), (found) => `delete ${ref.language} of ${inWords(found)}`)
      return Effect.andThen(Confirm.confirm(input, action), service.removeList(ref))
    })
    return Output.done("deleted", `the ${ref.language} terms of ${ref.spokenTermsId} are deleted`, ref)
  })
})

/** Spoken terms. */
export const terms = group(
  "terms",
  [listAll, show, create, rename, merge, replace, entries, remove, removeList],
  "Manage spoken terms: names and words that the recognition of speech should know"
)
