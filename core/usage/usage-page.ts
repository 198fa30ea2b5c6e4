/**
 * A page: calls of one slot of time from one batch of news. Batches are delivered more than once,
 * in other sizes and orders, so pages may repeat calls. Readers use the set of all rows: one row
 * for each call, and the refunded one if there are two (ADR 0048).
 */
import type { CallDoor } from '../ledger/call-facts.ts'
import type { RefundReason } from '../ledger/ledger.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { CallRow } from './call-row.ts'
import { toSlot } from './slots.ts'

export type UsagePage = {
  readonly slot: number
  /** Made from the content: a batch that is delivered twice has the same id. */
  readonly id: string
  readonly rows: readonly CallRow[]
}

/** Rows of one page: 1,000 calls take about 35 kB gzipped. */
export const PAGE_ROWS_MAX = 2_000

/**
 * Splits rows by slot into pieces that fit a page. The same rows in any order make the same pieces.
 */
export function splitIntoPages(rows: readonly CallRow[]): readonly Omit<UsagePage, 'id'>[] {
  const sorted = [...indexByCall(rows)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return [...Map.groupBy(sorted, (row) => toSlot(row.createdAtMs))].flatMap(([slot, slotRows]) =>
    Array.from({ length: Math.ceil(slotRows.length / PAGE_ROWS_MAX) }, (_, piece) => ({
      slot,
      rows: slotRows.slice(piece * PAGE_ROWS_MAX, (piece + 1) * PAGE_ROWS_MAX),
    })),
  )
}

/** Keeps one row for each call. */
export function mergeRows(rows: Iterable<CallRow>): CallRow[] {
  return [...indexByCall(rows).values()]
}

function indexByCall(rows: Iterable<CallRow>): ReadonlyMap<string, CallRow> {
  const found = new Map<string, CallRow>()
  addRows(found, rows)
  return found
}

/** Adds rows to `found`, which keeps one row for each call. */
export function addRows(found: Map<string, CallRow>, rows: Iterable<CallRow>): void {
  for (const row of rows) {
    const key = toCallKey(row)
    const before = found.get(key)
    if (before === undefined || before.state === 'settled') found.set(key, row)
  }
}

/**
 * Chooses one of `parts` for a call, from 0: always the same one, and all equally likely (FNV-1a).
 */
export function choosePart(callId: string, parts: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < callId.length; index += 1) {
    hash = Math.imul(hash ^ callId.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % parts
}

/** Call ids are unique by themselves, but an IAM caller could use one id for two users. */
function toCallKey({ callId, uid }: CallRow): string {
  return `${callId} ${uid}`
}

type WrittenRow = readonly [
  callId: string,
  uid: string,
  skillId: string,
  source: SkillSource,
  skillVersion: number,
  /** The reason of a refund; 0 if the call was settled, 1 for a refund without a reason. */
  reason: RefundReason | 0 | 1,
  amount: number,
  createdAtMs: number,
  durationMs: number,
  upstreamStatus: number | null,
  keyId: string | null,
  door: CallDoor | null,
]

/** Writes JSON without names, which {@link readRows} reads. */
export function writeRows(rows: readonly CallRow[]): string {
  return JSON.stringify(rows.map(toWrittenRow))
}

function toWrittenRow(row: CallRow): WrittenRow {
  const { amount, callId, createdAtMs, door, durationMs, keyId, uid, upstreamStatus } = row
  const { reason = 1, skillId, skillVersion, source, state } = row
  const ending = state === 'settled' ? 0 : reason
  return [
    ...([callId, uid, skillId, source, skillVersion, ending, amount] as const),
    ...([createdAtMs, durationMs, upstreamStatus ?? null, keyId ?? null, door ?? null] as const),
  ]
}

/** Reads only texts of {@link writeRows}. */
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
