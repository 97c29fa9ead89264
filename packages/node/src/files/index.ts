export * as NodeDocuments from "./NodeDocuments.ts"
export * as NodeFile from "./NodeFile.ts"
export * as NodeJournal from "./NodeJournal.ts"
export * as NodeTranslationMemories from "./NodeTranslationMemories.ts"
