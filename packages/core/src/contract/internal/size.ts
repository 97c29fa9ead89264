/** Number of bytes of a text as JSON in UTF-8, including quotes; `undefined` for a lone surrogate. */
export const jsonBytes = (text: string): number | undefined => {
  let bytes = 2
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x80) {
      if (code >= 0x20) bytes += code === 0x22 || code === 0x5c ? 2 : 1
      else bytes += code >= 8 && code <= 13 && code !== 11 ? 2 : 6
    } else if (code < 0x800) bytes += 2
    else if (code < 0xd800 || code > 0xdfff) bytes += 3
    else {
      const next = text.charCodeAt(++index)
      // `next` is NaN past the end of the text.
      if (code > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return undefined
      bytes += 4
    }
  }
  return bytes
}

/** Multiple of the limit beyond which a text is not counted exactly: counting 100 MB takes a second. */
export const farOver = 8

/** {@link jsonBytes}, or a lower bound for a text far over the limit `room`. */
export const bytesFor = (text: string, room: number): number | undefined =>
  // A UTF-16 unit takes one byte or more.
  text.length > farOver * room && text.isWellFormed() ? text.length + 2 : jsonBytes(text)

/** Limits of a request. `envelope` is the size without texts. A 413 reduces `bytes`. */
export interface Bounds {
  readonly texts: number
  bytes: number
  readonly envelope: number
}

export const roomOf = ({ bytes, envelope }: Bounds): number => bytes - envelope

/** Number of bytes of a request, including commas between texts. */
export const requestBytes = (sizes: ReadonlyArray<{ readonly bytes: number }>, envelope: number): number =>
  sizes.reduce((sum, { bytes }) => sum + bytes + 1, envelope - 1)

/** Packs items in order. `add` returns the previous batch if the item does not fit; `end` returns the last batch. */
export const packer = <A extends { readonly bytes: number }>(bounds: Bounds) => {
  let batch: Array<A> = []
  let size = 0
  const end = (): ReadonlyArray<ReadonlyArray<A>> => {
    const full = batch
    batch = []
    return full.length === 0 ? [] : [full]
  }
  return {
    add: (item: A): ReadonlyArray<ReadonlyArray<A>> => {
      const { bytes, envelope, texts } = bounds
      const full = batch.length >= texts || envelope + size + 1 + item.bytes > bytes ? end() : []
      size = batch.length === 0 ? item.bytes : size + 1 + item.bytes
      batch.push(item)
      return full
    },
    end
  }
}

export const pack = <A extends { readonly bytes: number }>(
  items: ReadonlyArray<A>,
  bounds: Bounds
): ReadonlyArray<ReadonlyArray<A>> => {
  const { add, end } = packer<A>(bounds)
  return [...items.flatMap(add), ...end()]
}

/** Maximum nesting depth of JSON: the schema interpreter is recursive. */
export const deepest = 256

export const isTooDeep = (json: string): boolean => {
  let depth = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (isInString && code === 92) at++
    else if (code === 34) isInString = !isInString
    else if (isInString) continue
    else if (code === 91 || code === 123) depth++
    else if (code === 93 || code === 125) depth--
    if (depth > deepest) return true
  }
  return false
}
