/** The version of the package, sent in `User-Agent`. Kept in step with package.json by tools/scripts/version.ts. */
export const version = "0.3.0"
