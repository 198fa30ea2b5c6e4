/**
 * Which shared tools fail for everybody, judged by the calls of one slot of ten minutes. Bound
 * by ADR 0143.
 */
import type { JsonObject } from '../json/json.ts'
import type { EventType } from '../settings/event-target.ts'
import type { CallRow } from './call-row.ts'
import { SLOT_MS } from './slots.ts'
import { isToolFailure } from './tool-failure.ts'

/** Fewer calls may fail by chance… */
export const FAILING_CALLS_MIN = 10
/** …and one user may send what no other sends. */
export const FAILING_USERS_MIN = 2
/** The tool fails for everybody from this share of failed calls on. */
export const FAILING_SHARE_MIN = 0.9
/** A tool that was told of works again from this share of calls that succeed on. */
export const RECOVERED_SHARE_MIN = 0.5
/** Tools that are told of at once. Further ones wait until one works again. */
export const FAILING_TOOLS_MAX = 20
/** A tool without calls for so long is forgotten: nobody uses it, or it is gone. */
export const FAILING_KEPT_SLOTS = 1_008

/** The last judged slot; and the slot in which each tool that fails was last called. */
export type ToolState = {
  readonly slot: number
  readonly failing: { readonly [skillId: string]: number }
}

export type ToolNotice = { readonly type: EventType; readonly data: JsonObject }

type Tally = {
  settled: number
  failed: number
  readonly users: Set<string>
  readonly reasons: Map<string, number>
}

/** The state after a slot, and what to tell. `rows` has each call once. */
export function judgeTools(
  before: ToolState | undefined,
  slot: number,
  rows: Iterable<CallRow>,
): { readonly state: ToolState; readonly notices: readonly ToolNotice[] } {
  const kept = Object.entries(before?.failing ?? {}).filter(
    ([, calledAt]) => slot - calledAt < FAILING_KEPT_SLOTS,
  )
  const failing = new Map(kept)
  const notices: ToolNotice[] = []
  for (const [skillId, tally] of tallyCalls(rows)) {
    const calls = tally.settled + tally.failed
    const isKnown = failing.has(skillId)
    if (isKnown) failing.set(skillId, slot)
    if (isKnown && tally.settled >= calls * RECOVERED_SHARE_MIN) {
      failing.delete(skillId)
      notices.push({ type: 'tool_recovered', data: toData(skillId, slot, tally) })
    } else if (!isKnown && isFailing(tally) && failing.size < FAILING_TOOLS_MAX) {
      failing.set(skillId, slot)
      notices.push({ type: 'tool_failing', data: toData(skillId, slot, tally) })
    }
  }
  return { state: { slot, failing: Object.fromEntries(failing) }, notices }
}

function isFailing({ failed, settled, users }: Tally): boolean {
  const calls = settled + failed
  return (
    calls >= FAILING_CALLS_MIN &&
    users.size >= FAILING_USERS_MIN &&
    failed >= calls * FAILING_SHARE_MIN
  )
}

function tallyCalls(rows: Iterable<CallRow>): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>()
  for (const row of rows) {
    const { reason = '', skillId, source, state, uid } = row
    const hasFailed = isToolFailure(row)
    if (source === 'private' || skillId === '' || (state === 'refunded' && !hasFailed)) continue
    const tally = tallies.get(skillId) ?? makeTally()
    tallies.set(skillId, tally)
    if (hasFailed) {
      tally.failed += 1
      tally.users.add(uid)
      tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1)
    } else {
      tally.settled += 1
    }
  }
  return tallies
}

function makeTally(): Tally {
  return { settled: 0, failed: 0, users: new Set(), reasons: new Map() }
}

function toData(skillId: string, slot: number, tally: Tally): JsonObject {
  const { failed, reasons, settled, users } = tally
  const [reason] = [...reasons].sort(([, a], [, b]) => b - a)[0] ?? []
  const slotAt = (one: number) => new Date(one * SLOT_MS).toISOString()
  return {
    skillId,
    calls: settled + failed,
    settled,
    failed,
    users: users.size,
    ...(reason === undefined ? {} : { reason }),
    from: slotAt(slot),
    until: slotAt(slot + 1),
  }
}
