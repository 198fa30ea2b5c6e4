/**
 * The day on which a shared secret was last used, so that an administrator sees which one nobody needs. Once
 * a day, environment and secret, after the answer: no call waits for it before its upstream. A note that is
 * lost is made by a later call. Bound by docs/service.md, Shared secrets.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretPlace } from '../../secrets/secret.ts'

type Needs = Pick<Ports, 'clock' | 'log'> & {
  readonly sharedSecrets: Pick<Ports['sharedSecrets'], 'noteUse'>
}

export type SecretUses = {
  /** Never throws. */
  note(ports: Needs, sent: readonly SecretPlace[]): Promise<void>
  /** False when all of them were noted today. */
  isDue(nowMs: number, sent: readonly SecretPlace[]): boolean
}

const DAY_MS = 86_400_000
/** Places with the day that was noted, of some 100 bytes each. */
export const NOTED_USES_MAX = 1_000

export function secretUses(): SecretUses {
  const noted = new Map<string, number>()
  const dueAt = (day: number, sent: readonly SecretPlace[]) =>
    sent.filter((place) => noted.get(keyOf(place)) !== day)
  return {
    isDue: (nowMs, sent) => dueAt(Math.floor(nowMs / DAY_MS), sent).length > 0,
    note: async (ports, sent) => {
      const day = Math.floor(ports.clock.nowMs() / DAY_MS)
      for (const place of dueAt(day, sent)) {
        const { name, skillId } = place
        // Before the write, so that calls at the same time make one.
        keepYoungest(noted, keyOf(place), day, NOTED_USES_MAX)
        await ports.sharedSecrets.noteUse({ name, skillId, day }).catch((cause: unknown) => {
          noted.delete(keyOf(place))
          ports.log.note('warn', 'secret-use-not-noted', { skillId }, cause)
        })
      }
    },
  }
}

/** Neither part has a space. */
function keyOf({ name, skillId = '' }: SecretPlace): string {
  return `${skillId} ${name}`
}
