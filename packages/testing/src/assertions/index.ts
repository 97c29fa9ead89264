export * as FakeAssert from "./FakeAssert.ts"
