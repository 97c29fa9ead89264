/**
 * The facts of the interface's specification that a fake can show, and the tests that show them of this one.
 * A full run counts the facts whose tests passed, and fails for one without: see `FactsReporter`.
 */

/** A test, by the name of its file and its title. */
type TestName = `${string} > ${string}`

export interface Fact {
  readonly fact: string
  readonly tests: ReadonlyArray<TestName>
}

const fact = (fact: string, ...tests: ReadonlyArray<TestName>): Fact => ({ fact, tests })

export const facts: ReadonlyArray<Fact> = [
  // Authentication
  fact(
    "The key comes in the header Authorization, after the scheme word and one space.",
    "Access > refuses a missing, an unknown and a misplaced key",
    "Access > takes the scheme words it is told"
  ),
  fact("One key works for all operations.", "Access > lets one key reach all operations"),
  fact("A missing or wrong key is 403.", "Access > refuses a missing, an unknown and a misplaced key"),
  fact(
    "A scoped key without the scope that an operation needs is 403.",
    "Access > names the scope that a key lacks"
  ),
  // What the operations share
  fact(
    "An error body has a message, and a code where there is one.",
    "FakeLanguageService > gives every answer a trace id of its own and the date of the clock",
    "Detection > refuses another content type with 415 and a code"
  ),
  fact(
    "Each answer has a trace id of its own in X-Trace-ID.",
    "FakeLanguageService > gives every answer a trace id of its own and the date of the clock"
  ),
  fact(
    "Characters of improvement count to the same quota as those of translation.",
    "Quota > is shared by all that uses characters, and reads still work without"
  ),
  fact(
    "Ids of lists and instructions are UUIDs.",
    "StyleRules > have the names, statuses and bodies of the wire"
  ),
  fact("Times are ISO 8601 in UTC.", "StyleRules > write their times in ISO 8601 and UTC"),
  fact(
    "Language codes are taken in any case.",
    "Translation > takes codes in any case",
    "Writing > takes targets in any case and answers in the case of BCP 47",
    "StyleRules > are created whole, with version 1 and the time of the clock"
  ),
  fact("Version 3 writes codes in the case of BCP 47.", "Languages > have codes in the case of BCP 47"),
  fact("Version 2 writes codes in upper case.", "Languages > have a deprecated list in upper case"),

  // Download translated document
  fact(
    "POST /v2/document/{document_id}/result gives the document of that id.",
    "Documents > become ready as time passes and are gone once they were taken",
    "Documents > meet every status that the specification names for a download"
  ),
  fact("The key of the document comes as a form or as JSON.", "Documents > take their key as a form too"),
  fact(
    "The answer is the file and nothing else, with the content type of the file and a trace id.",
    "Documents > come in pieces, with the headers of a file",
    "Documents > give nothing but their bytes, whatever they are"
  ),
  fact(
    "An unknown id, a wrong key and a document that was downloaded are 404, with a message.",
    "Documents > are unknown to whoever has not their key",
    "Documents > become ready as time passes and are gone once they were taken"
  ),
  fact(
    "A document that is not ready is 503, with a message.",
    "Documents > become ready as time passes and are gone once they were taken"
  ),
  fact(
    "400, 403, 413, 429, 500, 504 and 529 can come; 456 comes when the quota does not suffice.",
    "Documents > meet every status that the specification names for a download",
    "Documents > stay where they are when the quota does not suffice"
  ),
  fact(
    "The first success deletes the document; the second call is 404.",
    "Documents > become ready as time passes and are gone once they were taken",
    "Documents > are taken by one of two that ask at the same time"
  ),

  // Rephrase text
  fact(
    "POST /v2/write/rephrase, as JSON or a form.",
    "Writing > has the names of the wire, and needs texts",
    "Writing > takes forms with repeated texts",
    "Forms > are taken by improvement, detection and download, with one text and in any script"
  ),
  fact("Text improvement is for the paid tier only.", "Access > keeps improvement and style rules to the paid tier"),
  fact(
    "The characters of the texts are used.",
    "Writing > counts its characters, and each run as one effect"
  ),
  fact(
    "400 and 403.",
    "Writing > refuses targets that are not on the list",
    "Access > refuses a missing, an unknown and a misplaced key"
  ),
  fact(
    "Several texts; the results come in their order.",
    "Writing > tells the language of each text and the one it is in now, in order",
    "Writing > has the names of the wire, and needs texts"
  ),
  fact("The whole body has 10 KiB at most.", "Writing > takes 10 KiB of body and not a byte more"),
  fact(
    "The target is the language of the text, one of twelve; improving does not translate.",
    "Languages > have roots as sources and variants as targets",
    "Writing > refuses targets that are not on the list",
    "Writing > does not translate, but doubts the language of long texts only"
  ),
  fact(
    "A style steers how a text is rewritten.",
    "Writing > rewrites in a tone or a style that can be seen"
  ),
  fact("A tone changes how a text sounds.", "Writing > rewrites in a tone or a style that can be seen"),
  fact("Tone and style together are refused.", "Writing > refuses tone and style together"),
  fact(
    "A value with prefer_ falls back.",
    "Writing > refuses a plain tone or style where the language has none, and drops a preferred one"
  ),
  fact(
    "A text in one variant with the target of another is converted.",
    "Writing > converts a variant when it rephrases too, and changes no word when it corrects"
  ),
  fact(
    "The answer has one improvement for each text, in order.",
    "Writing > tells the language of each text and the one it is in now, in order"
  ),
  fact(
    "An improvement has its text, the language that was found and the one it is in.",
    "Writing > has the names of the wire, and needs texts"
  ),

  // Correct text
  fact("POST /v2/write/correct.", "Writing > has the names of the wire, and needs texts"),
  fact(
    "Spelling and grammar, with as few changes of words as can be.",
    "Writing > corrects spelling, grammar, spaces, capitals and the end of a sentence",
    "Writing > converts a variant when it rephrases too, and changes no word when it corrects"
  ),
  fact(
    "The same targets and the same limit of size as for rephrasing.",
    "Writing > takes 10 KiB of body and not a byte more",
    "Writing > refuses targets that are not on the list"
  ),

  // Style rules
  fact("Style rules are for the paid tier only.", "Access > keeps improvement and style rules to the paid tier"),
  fact(
    "A list has style_id, name, creation_time, updated_time, language, version, configured_rules, custom_instructions.",
    "StyleRules > have the names, statuses and bodies of the wire"
  ),
  fact(
    "The language of a list is a root: de, en, es, fr, it, ja, ko or zh.",
    "StyleRules > have limits of length and of number",
    "Languages > are listed for each resource"
  ),
  fact(
    "The version starts at 1 and rises with each change.",
    "StyleRules > have a version that counts the writes that succeeded, whatever else happens"
  ),
  fact(
    "Rules and instructions are in the full form only.",
    "StyleRules > are listed in pages, with details only on request"
  ),
  fact(
    "An instruction has id, label, prompt and source_language.",
    "StyleRules > have the names, statuses and bodies of the wire"
  ),
  fact(
    "POST /v3/style_rules makes a list with its rules and up to 200 instructions of up to 300 characters.",
    "StyleRules > are created whole, with version 1 and the time of the clock",
    "StyleRules > have limits of length and of number"
  ),
  fact(
    "GET /v3/style_rules lists all; detailed=true brings rules and instructions along.",
    "StyleRules > are listed in pages, with details only on request",
    "StyleRules > are covered by their pages, each once and in the order of their making"
  ),
  fact(
    "GET /v3/style_rules/{style_id} gives the full list.",
    "StyleRules > have the names, statuses and bodies of the wire"
  ),
  fact(
    "PATCH changes the name.",
    "StyleRules > have the names, statuses and bodies of the wire",
    "StyleRules > rise by one version with each change and with nothing else"
  ),
  fact(
    "DELETE deletes a list for good.",
    "StyleRules > have the names, statuses and bodies of the wire",
    "StyleRules > are not found under ids that are unknown or were deleted"
  ),
  fact(
    "PUT configured_rules replaces all rules; instructions stay.",
    "StyleRules > have the names, statuses and bodies of the wire",
    "StyleRules > rise by one version with each change and with nothing else"
  ),
  fact(
    "POST custom_instructions adds an instruction.",
    "StyleRules > have the names, statuses and bodies of the wire",
    "StyleRules > have limits of length and of number"
  ),
  fact(
    "PUT replaces one instruction; all fields are required.",
    "StyleRules > need all fields of an instruction that replaces another",
    "StyleRules > keep the place of an instruction that is replaced"
  ),
  fact(
    "DELETE removes one instruction.",
    "StyleRules > have the names, statuses and bodies of the wire"
  ),

  // Detect language
  fact("POST /v3/detect/language.", "Detection > has all four outcomes"),
  fact(
    "JSON with texts, 50 at most.",
    "Detection > takes 50 texts and not one more",
    "Detection > says so when the texts are missing"
  ),
  fact("A form with repeated texts.", "Detection > takes forms with one text and with several"),
  fact("One result for each text, in order.", "Detection > finds the languages of texts, in their order"),
  fact("Four outcomes.", "Detection > has all four outcomes"),
  fact(
    "A language comes with success only, one of 33.",
    "Detection > has all four outcomes",
    "Detection > finds nothing but the languages that the specification lists"
  ),
  fact("Short texts tend to have no language.", "Detection > has all four outcomes"),
  fact(
    "400 without texts, 403 without access, 415 for another content type, 500.",
    "Detection > says so when the texts are missing",
    "Access > has detection only for accounts that opted in",
    "Detection > refuses another content type with 415 and a code",
    "Detection > can fail inside"
  ),

  // List languages v3
  fact(
    "GET /v3/languages, and GET only.",
    "Languages > are listed for each resource",
    "Languages > take POST for the deprecated list, with the type in a form, in JSON or in the query"
  ),
  fact("Seven resources, one of which is required.", "Languages > are listed for each resource"),
  fact(
    "beta and external add what is not stable, which is left out otherwise.",
    "Languages > are stable unless more is asked for",
    "Languages > have the names of the wire"
  ),
  fact("The answer is an array.", "Languages > have the names of the wire"),
  fact(
    "An entry has lang, name, usable_as_source, usable_as_target, status and features.",
    "Languages > have the names of the wire"
  ),
  fact(
    "en is a source only, en-US a target only.",
    "Languages > have roots as sources and variants as targets"
  ),
  fact(
    "A language that has the key of a feature supports it.",
    "Languages > are stable unless more is asked for",
    "Translation > takes formality and custom instructions exactly for the targets that list the feature",
    "Writing > takes a tone or a style exactly for the targets that list the feature"
  ),

  // Language feature requirements
  fact(
    "GET /v3/languages/resources, and GET only.",
    "Languages > tell which side has to support a feature",
    "FakeLanguageService > knows methods and paths to the letter, and what it does not know meets no fault"
  ),
  fact(
    "A side that is not named is not needed.",
    "Languages > do not name a side that a feature does not need"
  ),
  fact(
    "A feature can be used when each side that is needed lists it.",
    "Languages > tell which side has to support a feature",
    "Translation > takes formality and custom instructions exactly for the targets that list the feature"
  ),

  // Deprecated
  fact(
    "GET /v2/languages with type source or target; POST too.",
    "Languages > have a deprecated list in upper case",
    "Languages > take POST for the deprecated list, with the type in a form, in JSON or in the query"
  ),
  fact(
    "Entries with language, name, and supports_formality for targets.",
    "Languages > have a deprecated list in upper case",
    "Languages > have the names of the wire"
  ),
  fact("GET /v2/glossary-language-pairs.", "Languages > pair up for glossaries, each with each other"),
  fact(
    "Any source of the glossary resource goes with any target.",
    "Languages > pair up for glossaries, each with each other"
  ),

  // Translate text
  fact(
    "POST /v2/translate.",
    "Translation > has the names of the wire, and one translation for each text in order"
  ),
  fact(
    "Texts, in whose order the translations come.",
    "Translation > has the names of the wire, and one translation for each text in order",
    "Translation > marks each text with its target"
  ),
  fact("A target, in any case.", "Translation > takes codes in any case"),
  fact(
    "A source, which a glossary needs.",
    "Translation > needs a glossary that exists and has the pair, and a source with it"
  ),
  fact(
    "All values work with style rules.",
    "Translation > works with a style rule list whatever the model"
  ),
  fact(
    "A glossary has the pair of languages; one for EN, PT or ZH serves all their variants.",
    "Translation > needs a glossary that exists and has the pair, and a source with it",
    "Translation > uses a glossary for English, Portuguese or Chinese in all their variants"
  ),
  fact(
    "The language of the list is that of the target.",
    "Translation > needs a style rule list of the target's language"
  ),
  fact(
    "A memory that is absent or does not cover the pair is 404.",
    "Translation > does not find a translation memory that is absent or does not cover the pair"
  ),
  fact(
    "A percentage.",
    "Translation > does not find a translation memory that is absent or does not cover the pair",
    "Translation > refuses values that the service does not take"
  ),

  // Conflicts, whose decision is the default and whose other side is a dialect
  fact(
    "A second download is 404.",
    "Dialect > can answer a second download with 503, which the client does not wait for"
  ),
  fact(
    "A wrong key is 403 everywhere.",
    "Dialect > can refuse a wrong key with 401, which the client takes as one of 403"
  ),
  fact("en is a source only.", "Dialect > can have roots as targets"),
  fact("Twelve targets of improvement.", "Dialect > can have roots as targets"),
  fact(
    "A replacement needs all fields.",
    "Dialect > can take an instruction in place of another without its source language"
  ),
  fact(
    "Translating with an unknown memory is 404.",
    "Translation > does not find a translation memory that is absent or does not cover the pair"
  ),
  fact(
    "So it is where the memory does not cover the pair.",
    "Translation > does not find a translation memory that is absent or does not cover the pair"
  ),
  fact(
    "An error body may have another form, which a dialect plays.",
    "Dialect > writes error bodies in the form it is told"
  ),
  fact(
    "A result is asked for by POST.",
    "Documents > meet every status that the specification names for a download"
  ),
  fact("Seven resources.", "Languages > are listed for each resource"),
  fact("A detection has detection_status and nothing else for it.", "Detection > has all four outcomes"),
  fact("Lists have eight languages.", "Dialect > can have lists in any language"),
  fact(
    "Without a key every operation is 403.",
    "Access > refuses every operation to a request without a key"
  ),
  fact(
    "Improvement and style rules are 403 on the free tier.",
    "Access > keeps improvement and style rules to the paid tier"
  ),
  fact(
    "A detection that is not enabled is 403 with a message.",
    "Access > has detection only for accounts that opted in"
  ),

  // States and transitions
  fact(
    "A document is done when its time is over.",
    "Documents > become ready as time passes and are gone once they were taken"
  ),
  fact(
    "Until then its result is 503, and nothing changes.",
    "Documents > become ready as time passes and are gone once they were taken",
    "services > Documents gives up at its deadline and leaves the document where it is"
  ),
  fact(
    "Done, and asked for with the right key: the bytes, then 404.",
    "Documents > become ready as time passes and are gone once they were taken"
  ),
  fact(
    "A wrong key, or one of another account, is 404, and nothing changes.",
    "Documents > are unknown to whoever has not their key",
    "Access > keeps what accounts have apart"
  ),
  fact(
    "A new list has version 1, with or without rules and instructions.",
    "StyleRules > are created whole, with version 1 and the time of the clock"
  ),
  fact(
    "A new name raises the version by one.",
    "StyleRules > rise by one version with each change and with nothing else"
  ),
  fact(
    "New rules raise the version by one.",
    "StyleRules > rise by one version with each change and with nothing else"
  ),
  fact(
    "An instruction that is added, replaced or removed raises the version by one.",
    "StyleRules > rise by one version with each change and with nothing else",
    "StyleRules > have a version that counts the writes that succeeded, whatever else happens"
  ),
  fact(
    "Languages and features are early_access, beta or stable.",
    "Languages > are stable unless more is asked for"
  ),

  // Upload document, and its status
  fact(
    "POST /v2/document issues the id and the key of a document.",
    "Uploads > may have their parts in any order, and the name of the file in a field",
    "Uploads > are followed by their status"
  ),
  fact(
    "An upload can name a style rule list.",
    "Uploads > can name a style rule list of the target language"
  ),
  fact(
    "The types of documents, by their extension.",
    "Uploads > give the types that the specification lists, and doc becomes docx",
    "Uploads > are refused by the service"
  ),
  fact(
    "The wide list of types.",
    "Uploads > give the types that the specification lists, and doc becomes docx"
  ),
  // Translation memories and their jobs
  fact(
    "Memories can be listed, read, imported, exported and deleted, not edited.",
    "TranslationMemories > are imported, read, used in a translation, exported and deleted",
    "TranslationMemories > have segments page by page, and those with a text",
    "TranslationMemories > are listed in pages, with their number"
  ),
  fact(
    "GET /v3/translation_memories/jobs/{job_id} reports an import or an export.",
    "TranslationMemories > tell how far an import and an export are"
  ),
  fact(
    "A memory that was deleted is 404 in translations.",
    "TranslationMemories > are imported, read, used in a translation, exported and deleted"
  ),
  fact(
    "All operations of memories.",
    "TranslationMemories > are imported, read, used in a translation, exported and deleted"
  ),
  fact(
    "A job that is finished is completed.",
    "TranslationMemories > are imported, read, used in a translation, exported and deleted"
  ),
  fact(
    "A memory cannot be edited.",
    "TranslationMemories > take no other method than those that there are"
  ),
  // Administration
  fact(
    "Keys and the use of them are administered.",
    "Access > keeps administration to admin keys, and all else to the others",
    "Admin > makes keys that can be used, labels them, and takes them away for good",
    "Admin > limits what a key may use up, down to nothing",
    "Admin > reports what was used up, in all, by key, and by key and day",
    "Admin > reports what tagged translations have used up, up to yesterday, in pages"
  ),
  fact(
    "A key that was deactivated stays so.",
    "Admin > makes keys that can be used, labels them, and takes them away for good"
  ),
  // Glossaries
  fact(
    "Glossaries of version 3 are multilingual and can be edited.",
    "Glossaries > are led through their life: made, merged into, replaced, renamed, deleted"
  ),
  fact(
    "10 MiB in all, 1024 bytes for a term or a name, 1000 glossaries.",
    "Glossaries > have limits of bytes",
    "Glossaries > have a limit of number"
  ),
  fact(
    "Glossaries of version 2 can be made, inspected and deleted.",
    "Glossaries > of version 2 can be made, read and deleted, but not changed"
  ),
  fact(
    "10 MiB for a glossary, not for a dictionary.",
    "Glossaries > have limits of bytes"
  ),
  fact("1000 glossaries.", "Glossaries > have a limit of number"),
  // Quality evaluation
  fact(
    "The quality of translations is evaluated; closed alpha.",
    "QualityEvaluation > finds the errors of translations, and scores them"
  ),
  // Voice
  fact(
    "Speech is transcribed and translated.",
    "Voice > translates a file of speech, whose results are fetched",
    "Voice > gives sessions, whose tokens are good for once"
  ),
  fact("The status done means that a document can be downloaded.", "Uploads > are followed by their status")
]
