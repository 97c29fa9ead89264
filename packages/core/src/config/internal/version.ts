/** Sent in `User-Agent`. `tools/scripts/version.ts` copies the version from package.json. */
export const version = "0.3.0"
