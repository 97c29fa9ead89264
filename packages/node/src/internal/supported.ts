/** Rejects an old Node.js. Imported before undici, because undici's error is unclear. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(
    `@effect-lingua/node needs Node.js 22.19 or newer, and this is ${process.versions.node}. Install a newer one, or try one: npx node@24 <program>`
  )
}
