/** sha256 by node. Digests are compared in constant time; texts never are. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Digests } from '../../core/ports.ts'

export function nodeDigests(): Digests {
  return {
    sha256: (text) => hash('sha256', text, 'base64url'),
    equal: (a, b) => {
      const [left, right] = [Buffer.from(a), Buffer.from(b)]
      // The length of a digest is no secret; that it has another one only says that it is none.
      return left.length === right.length && timingSafeEqual(left, right)
    },
  }
}
