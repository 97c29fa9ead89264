import { assert, describe, it, vi } from "@effect/vitest"

describe("the version of Node.js", () => {
  it.each<[version: string, isSupported: boolean]>([
    ["20.19.0", false],
    ["22.18.1", false],
    ["22.19.0", true],
    ["23.0.0", true]
  ])("%s is supported: %s", async (version, isSupported) => {
    vi.stubGlobal("process", Object.create(process, { versions: { value: { node: version } } }))
    // Each version has a module of its own.
    const { href } = new URL(`../src/internal/supported.ts?${version}`, import.meta.url)
    const found = await import(/* @vite-ignore */ href).then(() => "supported", String)
    vi.unstubAllGlobals()
    assert.include(found, isSupported ? "supported" : `needs Node.js 22.19 or newer, and this is ${version}`)
  })
})
