export * as LanguageToolkit from "./LanguageToolkit.ts"
