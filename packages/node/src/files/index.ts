export * as NodeDocumentJournal from "./NodeDocumentJournal.ts"
export * as NodeDocuments from "./NodeDocuments.ts"
export * as NodeTranslationMemories from "./NodeTranslationMemories.ts"
