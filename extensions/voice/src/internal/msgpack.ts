/** MessagePack, loaded on demand as this module, because some bundlers give a dynamic import of a CommonJS package no names. */
export { decode, encode } from "@msgpack/msgpack"

/** Maximum nesting of a frame; messages have 4 levels. */
const deepest = 16

/** The bytes after the first one, for the types from 0xc0 to 0xdf: of the value, or of its length in bytes or items. */
const following = [0, 0, 0, 0, 1, 2, 4, 2, 3, 5, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 1, 2, 4, 2, 4, 2, 4]

/** Types whose length counts bytes: binary data, extensions (their type is one byte more) and strings. */
const hasBytes = (type: number): boolean => (type >= 0xc4 && type <= 0xc9) || (type >= 0xd9 && type <= 0xdb)

/**
 * The items of a frame. Throws for deep nesting and for more announced items than bytes: the decoder allocates arrays of the announced length, so a
 * few bytes could exhaust memory.
 */
export const itemsOf = (bytes: Uint8Array): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengthAt = (at: number, size: number): number =>
    size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at) : view.getUint32(at)
  /** The items left in each open array or map, and in all of them. */
  const open: Array<number> = []
  let announced = 1
  let total = 1
  for (let at = 0; announced > 0;) {
    const type = view.getUint8(at++)
    let items = 0
    if (type >= 0x80 && type < 0xa0) items = type < 0x90 ? 2 * (type & 15) : type & 15
    else if (type >= 0xa0 && type < 0xc0) at += type & 31
    else if (type >= 0xc0 && type < 0xe0) {
      const size = following[type - 0xc0] ?? 0
      if (type >= 0xdc) items = lengthAt(at, size) * (type >= 0xde ? 2 : 1)
      else if (hasBytes(type)) {
        const isExtension = type >= 0xc7 && type <= 0xc9
        at += lengthAt(at, isExtension ? size - 1 : size)
      }
      at += size
    }
    announced += items - 1
    total += items
    if (announced > bytes.length - at) throw new RangeError("it announces more items than it has")
    if (items > 0 && open.push(items) > deepest) throw new RangeError("it is nested too deep")
    else if (items === 0) {
      // The last item of an array or map ends it, and so on outwards.
      while (open.length > 0) {
        const left = (open.pop() ?? 0) - 1
        if (left > 0) {
          open.push(left)
          break
        }
      }
    }
  }
  return total
}
