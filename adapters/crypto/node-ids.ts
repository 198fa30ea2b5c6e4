/** Randomness of the operating system, as ids and write tokens need it. */
import { randomBytes, randomFillSync } from 'node:crypto'
import type { Ids } from '../../core/ports.ts'

/** Drawn at once for short tokens: asking the system for each costs more than all the rest of it. */
const POOL_BYTES = 4_096
/** Call ids and write tokens. Longer ones are secrets (keys, session ids), of which none waits in memory. */
const POOLED_BYTES_MAX = 16

export function nodeIds(): Ids {
  const pool = Buffer.alloc(POOL_BYTES)
  let at = POOL_BYTES
  const pooled = (bytes: number) => {
    if (at + bytes > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    at += bytes
    return pool.subarray(at - bytes, at)
  }
  return {
    token: (bytes) =>
      (bytes <= POOLED_BYTES_MAX ? pooled(bytes) : randomBytes(bytes)).toString('base64url'),
  }
}
