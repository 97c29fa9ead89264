/** Re-exports MessagePack for dynamic imports: in some bundlers, a dynamically imported CommonJS package has no named exports. */
export { decode, encode } from "@msgpack/msgpack"

/** Maximum nesting of a frame; messages have 4 levels. */
const maxDepth = 16

/** For types 0xc0 to 0xdf: number of bytes between the type byte and content of variable length. They are the value, or a length and an extension's type. */
const following = [0, 0, 0, 0, 1, 2, 4, 2, 3, 5, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 1, 2, 4, 2, 4, 2, 4]

/** True for types whose length field counts bytes: binary data, strings and extensions. */
const hasBytes = (type: number): boolean => (type >= 0xc4 && type <= 0xc9) || (type >= 0xd9 && type <= 0xdb)

/**
 * Counts the items of a frame. Throws if a frame is nested too deep or announces more items than it has bytes: the decoder allocates arrays of the
 * announced length, so a few bytes could exhaust memory.
 */
export const itemsOf = (bytes: Uint8Array): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengthAt = (at: number, size: number): number =>
    size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at) : view.getUint32(at)
  /** Items left to read in each open array or map; `announced` is their sum. */
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
    if (items > 0 && open.push(items) > maxDepth) throw new RangeError("it is nested too deep")
    else if (items === 0) {
      // The last item ends its array or map, which may be the last item of the enclosing array or map.
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
