export * as NodeCompat from "./NodeCompat.ts"
