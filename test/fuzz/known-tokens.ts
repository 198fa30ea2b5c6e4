/**
 * Keys and session ids that a fuzzed gateway gives out: known beforehand, so that a request can hold
 * one of them or almost one, and an answer can be searched for all of them.
 */
import { createHash } from 'node:crypto'
import type { Ids } from '../../core/ports.ts'

const padded = (name: string) => name.padEnd(43, '0123456789abcdef')

export const KEYS = {
  ada: `sgk_${padded('ada-key-')}`,
  bob: `sgk_${padded('bob-key-')}`,
  poor: `sgk_${padded('poor-key-')}`,
  slow: `sgk_${padded('slow-key-')}`,
} as const

export const SESSIONS = {
  ada: padded('ada-session-'),
  nobody: padded('nobody-session-'),
  bob: padded('bob-session-'),
} as const

/** Bytes of a key and of a session id: their tokens are the planned ones, in their order. */
const PLANNED_BYTES = 32

export type PlannedIds = Ids & { plan(token: string): void }

/** Repeats itself exactly from one gateway to the next. */
export function plannedIds(): PlannedIds {
  const planned: string[] = []
  let serial = 0
  return {
    plan: (token) => planned.push(token),
    token: (bytes) => {
      const next = bytes === PLANNED_BYTES ? planned.shift() : undefined
      if (next !== undefined) return next
      serial += 1
      return createHash('sha256').update(String(serial)).digest().subarray(0, bytes).toString('base64url')
    },
  }
}
