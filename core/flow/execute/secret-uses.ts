/**
 * Records the day on which a shared secret was last used, so that administrators find unused ones.
 * Each environment writes this once a day for each secret, after the answer of a call. If the write
 * fails, a later call repeats it. Bound by docs/service.md, Shared secrets.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretPlace } from '../../secrets/secret.ts'

type Needs = Pick<Ports, 'clock' | 'log'> & {
  readonly sharedSecrets: Pick<Ports['sharedSecrets'], 'noteUse'>
}

export type SecretUses = {
  /** Writes today's day for each of these secrets that has not got it yet. Never throws. */
  note(ports: Needs, sent: readonly SecretPlace[]): Promise<void>
  /** False if today's use of all these secrets is recorded. */
  isDue(nowMs: number, sent: readonly SecretPlace[]): boolean
}

const DAY_MS = 86_400_000
/** Secrets whose recorded day is remembered, some 100 bytes each. */
export const NOTED_USES_MAX = 1_000

/** The record of one environment, empty at first. */
export function makeSecretUses(): SecretUses {
  const noted = new Map<string, number>()
  const dueAt = (day: number, sent: readonly SecretPlace[]) =>
    sent.filter((place) => noted.get(keyOf(place)) !== day)
  return {
    isDue: (nowMs, sent) => dueAt(Math.floor(nowMs / DAY_MS), sent).length > 0,
    note: async (ports, sent) => {
      const day = Math.floor(ports.clock.nowMs() / DAY_MS)
      for (const place of dueAt(day, sent)) {
        const { name, skillId } = place
        // Set before the write, so that concurrent calls write once.
        keepYoungest(noted, keyOf(place), day, NOTED_USES_MAX)
        await ports.sharedSecrets.noteUse({ name, skillId, day }).catch((cause: unknown) => {
          noted.delete(keyOf(place))
          ports.log.note('warn', 'secret-use-not-noted', { skillId }, cause)
        })
      }
    },
  }
}

/** The space separates the two parts, since neither may contain one. */
function keyOf({ name, skillId = '' }: SecretPlace): string {
  return `${skillId} ${name}`
}
