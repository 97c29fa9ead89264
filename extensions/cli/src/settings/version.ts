/** The version of the package. Kept in step with package.json by tools/scripts/version.ts. */
export const version = "0.3.0"
