/** Looks at one user's balance and budgets, and records what they have crossed. */
import type { Result } from '../../errors.ts'
import { countCall } from '../../ledger/budget.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type EventSettings, type NoteNeeds, noteBudget, noteCrossings } from './note-crossings.ts'

type Needs = NoteNeeds & { readonly profiles: Pick<Ports['profiles'], 'read'> }

/**
 * After an administrator's change of credits, threshold or budget. After a crash before it, the same change
 * sent again or the user's next call records it. Throws `Fault` when the profile cannot be read.
 */
export async function noteUser(ports: Needs, settings: EventSettings, uid: string): Promise<void> {
  if (settings === undefined) return
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return
  await noteCrossings(ports, settings, { profile })
}

/**
 * After a call that a budget has refused, once its answer is sent: that budget is reached, even if a cheaper
 * call would fit. Never throws; the next refused call does the same.
 */
export async function noteRefusedByBudget(
  ports: Needs,
  settings: EventSettings,
  call: {
    readonly uid: string
    readonly keyHash: string
    readonly amount: MicroCredits
    readonly heldAtMs: number
  },
): Promise<void> {
  const { keyHash, uid } = call
  if (settings === undefined) return
  try {
    const profile = await ports.profiles.read(uid)
    const reached = countCall(profile ?? {}, call).reached
    if (reached === undefined) return
    const ofKey = reached.whose === 'key' ? keyHash : undefined
    await noteBudget(ports, { uid }, { budget: reached.budget, keyHash: ofKey })
  } catch (cause) {
    ports.log.note('warn', 'event-not-recorded', { uid }, cause)
  }
}

/** The result of such a change, once its crossings are recorded. */
export async function noted<T>(
  ports: Needs,
  settings: EventSettings,
  { result, uid }: { readonly uid: string; readonly result: Result<T> },
): Promise<Result<T>> {
  if (result.ok) await noteUser(ports, settings, uid)
  return result
}
