/** Reads the file name of a `Content-Disposition` header (RFC 6266). */

const decodeExtended = (value: string): string | undefined => {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value)
  if (match?.[1] === undefined || /%(?![0-9a-f]{2})/i.test(match[1])) return undefined
  const bytes = [...match[1].matchAll(/%([0-9a-f]{2})|([^%])/gi)].map(([, hex, char]) =>
    hex === undefined ? (char?.charCodeAt(0) ?? 0) : Number.parseInt(hex, 16)
  )
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

/** The last segment of a path, so that a name cannot leave a folder; `undefined` for an invalid name of a file. */
const baseName = (name: string): string | undefined => {
  const base = name.split(/[/\\]/).at(-1)?.replace(/\p{Cc}/gu, "").trim() ?? ""
  return base === "" || base === "." || base === ".." ? undefined : base
}

/** The suggested file name without any folder, if any. */
export const fileNameOf = (contentDisposition: string | undefined): string | undefined => {
  if (contentDisposition === undefined) return undefined
  const extended = /;\s*filename\*\s*=\s*([^;\s]+)/i.exec(contentDisposition)?.[1]
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(contentDisposition)
  const name = (extended === undefined ? undefined : decodeExtended(extended)) ??
    plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2]
  return name === undefined ? undefined : baseName(name)
}
