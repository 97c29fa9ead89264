export * as Recording from "./Recording.ts"
