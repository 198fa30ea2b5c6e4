/**
 * Tells once of each tool that fails for everybody, and once that it works again. The sweep judges
 * each slot of ten minutes, some minutes after its end, by the pages of its calls. Bound by ADR 0143.
 *
 *   read state (slot 7) ─▶ judge slot 8 ─▶ one transaction: state (slot 8), if still at 7, and events
 *
 * Two sweeps judge one slot: the second one's condition fails, and with it its events. A process
 * that dies before the transaction has told nothing, and the next run judges the slot again. Slots
 * that no run judged in time are left out, since an old failure is no news.
 */

import type { Ports } from '../../ports/ports.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { judgeTools } from '../../usage/failing-tools.ts'
import { SLOT_MS, toSlot } from '../../usage/slots.ts'
import { addRows } from '../../usage/usage-page.ts'
import { createEventNow } from './note-crossings.ts'

export type FailingToolNeeds = Pick<Ports, 'clock' | 'events' | 'ids' | 'log'> & {
  readonly usagePages: Pick<Ports['usagePages'], 'list'>
}

/** By then nearly all calls of a slot have ended and are in its pages. */
export const JUDGE_AFTER_MS = 180_000
/** Pages of a slot that are read: up to 40,000 calls. What fails for everybody fails in these. */
export const JUDGED_PAGES_MAX = 20

/** Throws `Fault` if the store fails; the next run tries again. */
export async function noteFailingTools(ports: FailingToolNeeds): Promise<void> {
  const { clock, events, log, usagePages } = ports
  const slot = toSlot(clock.nowMs() - JUDGE_AFTER_MS - SLOT_MS)
  const before = await events.readTools()
  if (before !== undefined && before.slot >= slot) return
  const rows = new Map<string, CallRow>()
  let pages = 0
  for await (const page of usagePages.list(slot)) {
    addRows(rows, page.rows)
    pages += 1
    if (pages === JUDGED_PAGES_MAX) break
  }
  const { notices, state } = judgeTools(before, slot, rows.values())
  const made = notices.map(({ data, type }) => createEventNow(ports, type, data))
  if (!(await events.recordTools({ seen: before?.slot, state, events: made }))) return
  for (const { eventId, type } of made) log.note('info', 'event-recorded', { eventId, type })
}
