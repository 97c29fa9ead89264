export { TranslationMemories } from "./TranslationMemories.ts"
