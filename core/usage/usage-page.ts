/**
 * A page: calls of one slot of time, as one batch of news brought them. Batches come again, in other
 * sizes and another order, so pages may repeat calls. What counts is the set of their rows: one row
 * for each call, the refunded one where there are two (ADR 0048).
 */
import type { CallDoor } from '../ledger/call-facts.ts'
import type { RefundReason } from '../ledger/ledger.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { CallRow } from './call-row.ts'
import { slotOf } from './slots.ts'

export type UsagePage = {
  readonly slot: number
  /** Made of the content: the same batch again has the same id. */
  readonly id: string
  readonly rows: readonly CallRow[]
}

/** Rows of one page: 1,000 calls take about 35 kB, gzipped. */
export const PAGE_ROWS_MAX = 2_000

/** Rows by slot, in pieces that fit a page; the same rows in any order make the same pieces. */
export function inPages(rows: readonly CallRow[]): readonly Omit<UsagePage, 'id'>[] {
  const sorted = [...byCall(rows)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return [...Map.groupBy(sorted, (row) => slotOf(row.createdAtMs))].flatMap(([slot, all]) =>
    Array.from({ length: Math.ceil(all.length / PAGE_ROWS_MAX) }, (_, piece) => ({
      slot,
      rows: all.slice(piece * PAGE_ROWS_MAX, (piece + 1) * PAGE_ROWS_MAX),
    })),
  )
}

/** One row for each call. */
export function mergeRows(rows: Iterable<CallRow>): CallRow[] {
  return [...byCall(rows).values()]
}

function byCall(rows: Iterable<CallRow>): ReadonlyMap<string, CallRow> {
  const found = new Map<string, CallRow>()
  addRows(found, rows)
  return found
}

/** `found` has one row for each call, and so it has afterwards. */
export function addRows(found: Map<string, CallRow>, rows: Iterable<CallRow>): void {
  for (const row of rows) {
    const key = keyOf(row)
    const before = found.get(key)
    if (before === undefined || before.state === 'settled') found.set(key, row)
  }
}

/** In which of `parts` a call is, from 0 on: always the same one, and each as likely (FNV-1a). */
export function partOf(callId: string, parts: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < callId.length; index += 1) {
    hash = Math.imul(hash ^ callId.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % parts
}

/** Call ids are unique by themselves; only a caller proven by IAM could name one twice. */
function keyOf({ callId, uid }: CallRow): string {
  return `${callId} ${uid}`
}

type WrittenRow = readonly [
  callId: string,
  uid: string,
  skillId: string,
  source: SkillSource,
  skillVersion: number,
  /** The reason of a refund; 0 when it was settled. */
  reason: RefundReason | 0 | 1,
  amount: number,
  createdAtMs: number,
  durationMs: number,
  upstreamStatus: number | null,
  keyId: string | null,
  door: CallDoor | null,
]

/** JSON without names; {@link readRows} reads it back. */
export function writeRows(rows: readonly CallRow[]): string {
  return JSON.stringify(rows.map(written))
}

function written(row: CallRow): WrittenRow {
  const { amount, callId, createdAtMs, door, durationMs, keyId, uid, upstreamStatus } = row
  const { reason = 1, skillId, skillVersion, source, state } = row
  const ending = state === 'settled' ? 0 : reason
  return [
    ...([callId, uid, skillId, source, skillVersion, ending, amount] as const),
    ...([createdAtMs, durationMs, upstreamStatus ?? null, keyId ?? null, door ?? null] as const),
  ]
}

/** For texts of {@link writeRows} only. */
export function readRows(text: string): readonly CallRow[] {
  const rows: readonly WrittenRow[] = JSON.parse(text)
  return rows.map(([callId, uid, skillId, source, skillVersion, ending, amount, ...rest]) => {
    const [createdAtMs, durationMs, upstreamStatus, keyId, door] = rest
    return {
      callId,
      uid,
      skillId,
      source,
      skillVersion,
      amount,
      createdAtMs,
      durationMs,
      state: ending === 0 ? 'settled' : 'refunded',
      reason: typeof ending === 'string' ? ending : undefined,
      upstreamStatus: upstreamStatus ?? undefined,
      keyId: keyId ?? undefined,
      door: door ?? undefined,
    }
  })
}
