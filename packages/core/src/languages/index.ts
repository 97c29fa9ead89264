export * as Languages from "./Languages.ts"
export * as LanguagesApi from "./LanguagesApi.ts"
