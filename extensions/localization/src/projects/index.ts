export * as Project from "./Project.ts"
