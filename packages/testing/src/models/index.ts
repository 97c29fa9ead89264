export * as ModelBased from "./ModelBased.ts"
