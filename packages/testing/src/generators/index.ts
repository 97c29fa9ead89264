export * as Generators from "./Generators.ts"
