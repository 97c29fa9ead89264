export { Recording } from "./Recording.ts"
