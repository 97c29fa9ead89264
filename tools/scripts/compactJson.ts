/** Formats JSON for version control: a value of at most `width` characters is on one line. */
export const compactJson = (value: unknown, width: number, indent = ""): string => {
  const line = JSON.stringify(value)
  if (line.length <= width || typeof value !== "object" || value === null) return line
  const inner = `${indent} `
  const lines = Array.isArray(value)
    ? value.map((item) => compactJson(item, width, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${compactJson(item, width, inner)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${lines.map((line) => inner + line).join(",\n")}\n${indent}${close}`
}
