/** Reads one user's balance and limits and records the events that they have caused. */
import type { Result } from '../../errors.ts'
import { countCall } from '../../ledger/budget.ts'
import { findUsedUpDay } from '../../ledger/key-days.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  type CrossingNeeds,
  type EventSettings,
  recordCrossings,
  recordSpentBudget,
  recordUsedUpDay,
} from './note-crossings.ts'

type Needs = CrossingNeeds & { readonly profiles: Pick<Ports['profiles'], 'read'> }

/**
 * Call it after an administrator changes credits, threshold or budget. After a crash in between,
 * the same change sent again or the user's next call records the event. Throws `Fault` if the
 * profile cannot be read.
 */
export async function recordUserCrossings(
  ports: Needs,
  settings: EventSettings,
  uid: string,
): Promise<void> {
  if (settings === undefined) return
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return
  await recordCrossings(ports, settings, { profile })
}

/**
 * Call it after a budget or a day's limit has refused a call and the answer is sent. A budget is
 * recorded as spent, even if a cheaper call would fit. Never throws; the next refused call tries
 * again.
 */
export async function recordRefusedByLimit(
  ports: Needs,
  settings: EventSettings,
  call: {
    readonly uid: string
    readonly keyHash: string
    readonly parentHash: string | undefined
    readonly amount: MicroCredits
    readonly heldAtMs: number
  },
): Promise<void> {
  const { uid } = call
  if (settings === undefined) return
  try {
    const profile = await ports.profiles.read(uid)
    const reached = countCall(profile ?? {}, call).reached
    if (reached !== undefined) await recordSpentBudget(ports, { uid }, reached)
    const day = findUsedUpDay(profile ?? {}, call)
    if (day !== undefined) await recordUsedUpDay(ports, { uid }, day)
  } catch (cause) {
    ports.log.note('warn', 'event-not-recorded', { uid }, cause)
  }
}

/** Records a user's events after a change that succeeded, and returns the change's result. */
export async function recordAfterChange<T>(
  ports: Needs,
  settings: EventSettings,
  { result, uid }: { readonly uid: string; readonly result: Result<T> },
): Promise<Result<T>> {
  if (result.ok) await recordUserCrossings(ports, settings, uid)
  return result
}
