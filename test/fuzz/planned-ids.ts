/** Randomness that is the same for every gateway, with planned keys and session ids. */
import { createHash } from 'node:crypto'
import type { Ids } from '../../core/ports/outside.ts'

/** Bytes of a key and of a session id: their tokens are the planned ones, in their order. */
const PLANNED_BYTES = 32

export type PlannedIds = Ids & { plan(token: string): void }

export function plannedIds(): PlannedIds {
  const planned: string[] = []
  let serial = 0
  return {
    plan: (token) => planned.push(token),
    token: (bytes) => {
      const next = bytes === PLANNED_BYTES ? planned.shift() : undefined
      if (next !== undefined) return next
      serial += 1
      const digest = createHash('sha256').update(String(serial)).digest()
      return digest.subarray(0, bytes).toString('base64url')
    },
  }
}
