/** `voice terms`: the commands on spoken terms. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { InvalidEntries } from "@effect-lingua/core/errors/CallError"
import type { SpokenTerms, TermListOptions } from "@effect-lingua/voice/SpokenTerms"
import { type SpokenTermsCollection, SpokenTermsId, type TermList } from "@effect-lingua/voice/SpokenTermsApi"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { spokenTermsId } from "../../client/sample.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { type Columns, fields, table } from "../../screen/table.ts"
import { argument, idArgument, required } from "../../settings/flags.ts"
import { commandsOf, group, inFile, showing } from "../command.ts"

const { spokenTermsCharacters, spokenTermsNameBytes } = Limits.defaults

const bound = { mebibytes: 1, reason: `a language has ${spokenTermsCharacters} characters of terms at most` }

/** Calls the service with the terms of a file, which errors about them name. */
const withList = Effect.fnUntraced(function*<A, E, R>(
  { file, language }: { readonly file: string; readonly language: string },
  use: (service: SpokenTerms["Service"], list: TermListOptions) => Effect.Effect<A, E | InvalidEntries, R>
) {
  // A file of an editor can begin with a byte order mark.
  const terms = (yield* fileText(file, bound)).replace(/^\ufeff/, "").split(/\r?\n/)
  return yield* call((services) =>
    services.SpokenTerms.use((service) => use(service, { language, terms })).pipe(inFile(services, () => file))
  )
})

const columns: Columns<TermList> = { LANGUAGE: "language", TERMS: "entryCount" }

/** A collection with its lists. */
const shown = (collection: SpokenTermsCollection): Output.Results => ({
  json: [collection],
  human: (style) => {
    const { creationTime: created, name, spokenTermsId: id, termLists = [] } = collection
    const found = fields(style, { id, name, created })
    return termLists.length === 0 ? found : `${found}\n\n${table(style, columns, termLists)}`
  }
})

const id = {
  spokenTermsId: idArgument("spoken-terms-id", SpokenTermsId, "The id of spoken terms, as printed by voice terms list")
}
const name = argument("name", `A name of at most ${spokenTermsNameBytes} bytes; it need not be unique`)
const language = required("language", "language", "The language in which the terms are spoken, such as en")
const list = { file: argument("file", "A file with a term in each line, - for standard input"), language }

const path = "voice terms"
const example = `effect-lingua ${path}`

const { list: listOf, remove, removing, show, use } = commandsOf({
  path,
  object: "collection",
  service: ({ SpokenTerms }) => SpokenTerms,
  ref: id,
  sample: spokenTermsId,
  show: "Show spoken terms with their languages and the number of terms of each",
  remove: "Delete spoken terms of all languages; it cannot be undone",
  shown,
  inWords: ({ name, termLists = [] }) =>
    `the spoken terms ${JSON.stringify(name)} (${termLists.map(({ language }) => language).join(", ")})`
})

const listAll = listOf("List the collections of spoken terms", (service) => service.list(), {
  ID: "spokenTermsId",
  CREATED: "creationTime",
  LANGUAGES: ({ termLists = [] }) => termLists.map(({ language }) => language).join(","),
  NAME: "name"
})

const create = showing("voice terms create", {
  description: "Create spoken terms with those of a file; prints their id",
  examples: { [`printf 'fairlead\\nbollard\\n' | ${example} create --fake "Harbour" - --language en`]: "Two terms" },
  params: { name, list },
  run: ({ list, name }) => withList(list, (service, list) => service.create({ name, termLists: [list] })),
  shown: (collection) => Output.texts([collection], ({ spokenTermsId }) => spokenTermsId)
})

const rename = showing("voice terms rename", {
  description: "Rename spoken terms",
  examples: { [`--fake ${spokenTermsId} "New name"`]: "Another name" },
  params: { ...id, name },
  run: (input) => use(input, (service, input) => service.merge(input)),
  shown
})

const merge = showing("voice terms merge", {
  description: "Add the terms of a file to those of a language",
  examples: { [`echo bollard | ${example} merge --fake ${spokenTermsId} - --language en`]: "One more term" },
  params: { ref: id, list },
  run: ({ list, ref }) => withList(list, (service, list) => service.merge({ ...ref, termLists: [list] })),
  shown
})

const replace = showing("voice terms replace", {
  description: "Replace all terms of a language by those of a file, or add the language",
  examples: { [`echo Klampe | ${example} replace --fake ${spokenTermsId} - --language de`]: "Another language" },
  params: { ref: id, list },
  run: ({ list, ref }) => withList(list, (service, list) => service.replaceList({ ...ref, ...list })),
  shown: (list) => Output.rows([list], columns)
})

const entries = showing("voice terms entries", {
  description: "Print the terms of a language, one in each line",
  examples: { [`--fake ${spokenTermsId} --language en`]: "As merge and replace read them" },
  params: { ...id, language },
  run: (ref) => use(ref, (service, ref) => service.terms(ref)),
  shown: (terms) => Output.texts(terms, (term) => term)
})

const inLanguage = (ref: { readonly language: string; readonly spokenTermsId: string }): string =>
  `the terms in ${ref.language} of ${ref.spokenTermsId}`

const removeList = removing("delete-list", {
  description: "Delete the terms of a language; it cannot be undone",
  part: { params: { ...id, language }, sample: `${spokenTermsId} --language en` },
  question: (_, ref) => Effect.succeed(`delete ${inLanguage(ref)}`),
  run: (service, ref) => service.removeList(ref),
  removed: (ref) => `${inLanguage(ref)} are deleted`
})

/** Spoken terms. */
export const terms = group(
  "terms",
  [listAll, show, create, rename, merge, replace, entries, remove, removeList],
  "Manage spoken terms: names and words that the recognition of speech should know"
)
