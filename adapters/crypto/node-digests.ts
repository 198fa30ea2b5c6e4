/** The port Digests with node's sha256 and HMAC. Digests are compared in constant time. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Digests } from '../../core/ports/outside.ts'

export function nodeDigests(): Digests {
  return {
    sha256: (text) => hash('sha256', text, 'base64url'),
    sha256Hex: (bytes) => hash('sha256', bytes, 'hex'),
    mac: (key, text) => createHmac('sha256', key).update(text).digest('base64url'),
    equal: (a, b) => {
      const [left, right] = [Buffer.from(a), Buffer.from(b)]
      // The length of a digest is no secret: another length only means that the value is no digest.
      return left.length === right.length && timingSafeEqual(left, right)
    },
  }
}
