/**
 * The ledger entries that the archive keeps: how a call ended, and what an administrator granted or
 * took. An entry is one line of JSON. Equal entries are equal lines, so lines are compared as text.
 * Amounts are whole micro-credits, so any tool adds them exactly. Bound by ADR 0053.
 */
import type { Grant, MicroCredits, Outcome } from '../ledger/ledger.ts'

export type ArchiveEntry =
  | { readonly kind: 'call'; readonly outcome: Outcome }
  | { readonly kind: 'grant'; readonly uid: string; readonly grant: Grant }

/** The text of an object and its name in the archive. */
export type ArchiveObject = { readonly name: string; readonly text: string }

export type EntryState = Outcome['state'] | 'granted'

/** A line and the fields that sums and comparisons need. */
export type ArchiveLine = {
  readonly kind: ArchiveEntry['kind']
  readonly uid: string
  /** Call id or grant id. */
  readonly id: string
  readonly state: EntryState
  readonly amount: MicroCredits
  readonly createdAtMs: number
  /** The line as it is in the archive. */
  readonly text: string
}

/** The line of an entry; the field names are the archive's format. */
export function toArchiveLine(entry: ArchiveEntry): ArchiveLine {
  return entry.kind === 'call' ? toCallLine(entry.outcome) : toGrantLine(entry.uid, entry.grant)
}

function toCallLine(outcome: Outcome): ArchiveLine {
  const { amount, callId: id, createdAtMs, facts, state, uid } = outcome
  const text = JSON.stringify({
    kind: 'call',
    uid,
    id,
    state,
    amount_micro_credits: amount,
    charged_micro_credits: state === 'settled' ? amount : 0,
    created_at_ms: createdAtMs,
    ended_at_ms: outcome.endedAtMs,
    duration_ms: outcome.durationMs,
    reason: outcome.reason,
    skill_id: outcome.skillId,
    source: outcome.source,
    skill_version: outcome.skillVersion,
    upstream_status: outcome.upstreamStatus,
    key_id: facts?.keyId,
    door: facts?.door,
    client: facts?.client,
    upstream_host: facts?.upstreamHost,
    trace_id: facts?.traceId,
    secrets_used: facts?.secretsUsed,
  })
  return { kind: 'call', uid, id, state, amount, createdAtMs, text }
}

function toGrantLine(uid: string, grant: Grant): ArchiveLine {
  const { amount, createdAtMs, grantId: id, reason } = grant
  const text = JSON.stringify({
    kind: 'grant',
    uid,
    id,
    state: 'granted',
    amount_micro_credits: amount,
    created_at_ms: createdAtMs,
    reason,
  })
  return { kind: 'grant', uid, id, state: 'granted', amount, createdAtMs, text }
}

const STATES: readonly EntryState[] = ['settled', 'refunded', 'granted']

/** Returns undefined for a text that {@link toArchiveLine} cannot have made. */
export function parseArchiveLine(text: string): ArchiveLine | undefined {
  const fields = parseFields(text)
  const { amount_micro_credits: amount, created_at_ms: createdAtMs, id, kind, uid } = fields
  const state = STATES.find((one) => one === fields['state'])
  if (kind !== 'call' && kind !== 'grant') return undefined
  if (state === undefined || (state === 'granted') !== (kind === 'grant')) return undefined
  if (typeof uid !== 'string' || typeof id !== 'string') return undefined
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(createdAtMs)) return undefined
  return { kind, uid, id, state, amount: Number(amount), createdAtMs: Number(createdAtMs), text }
}

function parseFields(text: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // The text is no line of the archive. The caller reports it.
    return {}
  }
}

/** Identifies an entry. Call ids and grant ids are unique only within one user. */
export function toEntryKey({ id, kind, uid }: Pick<ArchiveLine, 'id' | 'kind' | 'uid'>): string {
  return `${kind} ${id} ${uid}`
}

/**
 * Keeps one line for each entry if batches repeated it. A call moves from settled to refunded at
 * most once, so the refunded line is the later one. A grant loses its reason at most once, when its
 * user is deleted, so the shorter line is the later one.
 */
export function mergeArchiveLines(lines: Iterable<ArchiveLine>): readonly ArchiveLine[] {
  const byKey = new Map<string, ArchiveLine>()
  for (const line of lines) {
    const key = toEntryKey(line)
    const before = byKey.get(key)
    if (before === undefined || isLater(line, before)) byKey.set(key, line)
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

function isLater({ kind, text }: ArchiveLine, before: ArchiveLine): boolean {
  return kind === 'grant' ? text.length < before.text.length : before.state === 'settled'
}
