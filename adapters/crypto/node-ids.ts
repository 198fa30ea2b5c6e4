/** Randomness of the operating system, as ids and marks need it. */
import { randomBytes } from 'node:crypto'
import type { Ids } from '../../core/ports.ts'

export function nodeIds(): Ids {
  return { token: (bytes) => randomBytes(bytes).toString('base64url') }
}
