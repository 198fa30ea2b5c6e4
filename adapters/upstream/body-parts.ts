/**
 * Collects bytes that arrive in parts, in about their own size. Small parts are copied together: a
 * view costs over a hundred bytes beside its own, and four million views a gigabyte.
 */

export type Parts = {
  /** Not a getter: V8 makes a shape for each object that is written with one, and keeps what it sees. */
  bytes(): number
  /** Keeps no part that would go past the cap, and is false then. */
  add(part: Buffer): boolean
  /** All of them, which are then no longer kept. */
  take(): Buffer
}

/** Parts below this size are copied: the copy costs less than a view. */
const SMALL_BYTES = 1_024
/** Small parts are gathered in blocks of this size. */
const BLOCK_BYTES = 16_384

export function collected(bytesMax: number): Parts {
  let parts: Buffer[] = []
  let bytes = 0
  let block: Buffer | undefined
  let used = 0

  const closeBlock = () => {
    if (block !== undefined) parts.push(block.subarray(0, used))
    block = undefined
    used = 0
  }
  const copy = (part: Buffer) => {
    if (used + part.length > BLOCK_BYTES) closeBlock()
    block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES)
    used += part.copy(block, used)
  }
  return {
    bytes: () => bytes,
    add: (part) => {
      if (bytes + part.length > bytesMax) return false
      bytes += part.length
      // The first part is usually the only one.
      if (part.length < SMALL_BYTES && bytes > part.length) copy(part)
      else {
        closeBlock()
        parts.push(part)
      }
      return true
    },
    take: () => {
      closeBlock()
      const [only, second] = parts
      const all = only !== undefined && second === undefined ? only : Buffer.concat(parts, bytes)
      parts = []
      bytes = 0
      return all
    },
  }
}
