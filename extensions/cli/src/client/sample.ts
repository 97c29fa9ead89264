/** Ids of the embedded fake's sample data. Constant, so that examples can contain the ids. */

/** Identifies a list of style rules for English. */
export const styleId = "553f7630-4015-4290-97c7-818ab6c10369"

/** Identifies an instruction of the list of style rules. */
export const instructionId = "cb73a88a-3ed3-4a4e-a882-88a892416a55"

/** Identifies a glossary from English to German. */
export const glossaryId = "b9a5fa30-31eb-4f99-a6b6-9cf11426bcf1"

/** Identifies a translation memory from English to German. */
export const translationMemoryId = "3d481510-8b9f-4e92-8db5-b4fca7d231c3"

/** Identifies a translated document. */
export const documentId = "DEC288A243E72BAD154079F6C74E8339"

/** Identifies an export of the translation memory. */
export const exportId = "eee1dff3-fe6b-4d1b-ab24-e9de9761e223"

export const voiceJobId = "69c051a4-a74b-40a3-80ce-73e5e1be81e2"

/** Identifies a collection of English spoken terms. */
export const spokenTermsId = "6aedbd6c-1858-48f1-a3c5-867933c8a1c9"

export const evaluationId = "a9bd48ed-e3d1-4afd-9edd-478c28d2bf05"

export const keyId = "10a2ddcd-1080-4bcd-bec9-b5a68455aa6e:5b002579-4614-48cb-a5a5-f708a8f98edc"
