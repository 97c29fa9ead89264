export { Admin } from "./Admin.ts"
export { Usage } from "./Usage.ts"
