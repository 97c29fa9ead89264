export * as VirtualTime from "./VirtualTime.ts"
