export * as TranslationMemories from "./TranslationMemories.ts"
