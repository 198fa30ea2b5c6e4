/**
 * Holds that this process has read or written, by user. A user's row names the token of its last change;
 * who finds the same token here need not read the holds. Every change, of every process, writes a token
 * that was never used before, so what was rolled back, or changed elsewhere, is never taken for current.
 */
import { randomBytes } from 'node:crypto'
import type { Profile } from '../../../core/ledger/ledger.ts'

type Holds = Profile['holds']

export type KnownHolds = {
  /** As they were when the token was written; undefined when they must be read. */
  of(uid: string, token: string): Holds | undefined
  keep(uid: string, token: string, holds: Holds): void
  newToken(): string
}

/** Users at once: some holds of 300 bytes each. The one that came first goes first. */
export const KNOWN_USERS_MAX = 2_000

export function knownHolds(): KnownHolds {
  const known = new Map<string, { readonly token: string; readonly holds: Holds }>()
  const mine = randomBytes(9).toString('base64url')
  let serial = 0
  return {
    of: (uid, token) => {
      const found = known.get(uid)
      return found?.token === token ? found.holds : undefined
    },
    keep: (uid, token, holds) => {
      if (!known.has(uid) && known.size >= KNOWN_USERS_MAX) {
        for (const first of known.keys()) {
          known.delete(first)
          break
        }
      }
      known.set(uid, { token, holds })
    },
    newToken: () => {
      serial += 1
      return `${mine}.${serial}`
    },
  }
}
