/** Finds the row of a call whose user is unknown. The call's id says when it was made. */
import { timeOfCallId } from '../../call/call-id.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { slotOf } from '../../usage/slots.ts'
import type { PageReadNeeds } from './fold-calls.ts'

/** Execute starts a call up to a minute after its id was made, and its clock may be behind. */
const ID_LEAD_MS = 60_000

/** Returns any row of the call, since the ledger has what changes between its rows. */
export async function findRow(ports: PageReadNeeds, callId: string): Promise<CallRow | undefined> {
  const madeAtMs = timeOfCallId(callId)
  if (madeAtMs === undefined) return undefined
  const slots = [madeAtMs, madeAtMs + ID_LEAD_MS, madeAtMs - ID_LEAD_MS].map(slotOf)
  for (const slot of new Set(slots)) {
    for await (const { rows } of ports.usagePages.list(slot)) {
      const found = rows.find((row) => row.callId === callId)
      if (found !== undefined) return found
    }
  }
  return undefined
}
