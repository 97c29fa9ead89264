export * as TranslationMemories from "./TranslationMemories.ts"
export * as TranslationMemoriesApi from "./TranslationMemoriesApi.ts"
