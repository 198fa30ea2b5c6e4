/** The port Ids with the operating system's randomness, for ids and write tokens. */
import { randomBytes, randomFillSync } from 'node:crypto'
import type { Ids } from '../../core/ports/outside.ts'

/** Short tokens are drawn in bulk: a system call for each would cost more than the rest of it. */
const POOL_BYTES = 4_096
/** The length of call ids and write tokens. Longer values are secrets and are never pooled. */
const POOLED_BYTES_MAX = 16

export function nodeIds(): Ids {
  const pool = Buffer.alloc(POOL_BYTES)
  let at = POOL_BYTES
  const drawFromPool = (bytes: number) => {
    if (at + bytes > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    at += bytes
    return pool.subarray(at - bytes, at)
  }
  return {
    token: (bytes) =>
      (bytes <= POOLED_BYTES_MAX ? drawFromPool(bytes) : randomBytes(bytes)).toString('base64url'),
  }
}
