/**
 * Records what a charged call has crossed, once its answer is sent. Of calls that settle at once, the last one sees
 * the outcomes of all: each reads the holds' outcomes after it has written its own.
 *
 *   A: settled ─▶ reads profile and outcomes (B runs: its price is on hold)
 *   B:    settled ─▶ reads profile and outcomes (A has ended) ─▶ the balance is low
 */
import { Fault } from '../../errors.ts'
import { standingNow } from '../../ledger/find-leftovers.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { leastHolds } from '../../ledger/leftovers.ts'
import type { Ports } from '../../ports.ts'
import { type EventSettings, type NoteNeeds, noteCrossings } from './note-crossings.ts'

type Needs = NoteNeeds & { readonly profiles: Pick<Ports['profiles'], 'read'> }

export type ChargedCall = {
  readonly callId: string
  /** After its hold. */
  readonly held: Profile
  /** After the release; undefined where the hold was left behind. */
  readonly released: Profile | undefined
}

/** Never throws a `Fault`; the next call or the sweep sees the crossing again. */
export async function noteCharged(
  ports: Needs,
  settings: EventSettings,
  { callId, held, released }: ChargedCall,
): Promise<void> {
  const { uid } = held
  if (settings === undefined) return
  try {
    const profile = released ?? (await ports.profiles.read(uid))
    if (profile === undefined) return
    const now = await standingNow(ports, profile)
    await noteCrossings(ports, settings, { profile: now, before: leastHolds(held, callId) })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('warn', 'event-not-recorded', { uid }, cause)
  }
}
