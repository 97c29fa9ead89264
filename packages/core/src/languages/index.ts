export { Languages } from "./Languages.ts"
