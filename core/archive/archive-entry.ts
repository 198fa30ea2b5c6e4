/**
 * What the archive keeps of the ledger: how a call ended, and what an administrator granted or took. An
 * entry is one line of JSON, and equal entries are equal lines, so a line is compared as text. Amounts
 * are whole micro-credits: sums over them are exact in any tool. Bound by ADR 0053.
 */
import type { Grant, MicroCredits, Outcome } from '../ledger/ledger.ts'

export type ArchiveEntry =
  | { readonly kind: 'call'; readonly outcome: Outcome }
  | { readonly kind: 'grant'; readonly uid: string; readonly grant: Grant }

/** Lines under a name. */
export type ArchiveObject = { readonly name: string; readonly text: string }

export type EntryState = Outcome['state'] | 'granted'

/** A line, as far as sums and comparisons need it. */
export type ArchiveLine = {
  readonly kind: ArchiveEntry['kind']
  readonly uid: string
  /** Call id or grant id. */
  readonly id: string
  readonly state: EntryState
  readonly amount: MicroCredits
  readonly createdAtMs: number
  /** As it stands in the archive. */
  readonly text: string
}

export function lineOf(entry: ArchiveEntry): ArchiveLine {
  return entry.kind === 'call' ? callLine(entry.outcome) : grantLine(entry.uid, entry.grant)
}

function callLine(outcome: Outcome): ArchiveLine {
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

function grantLine(uid: string, grant: Grant): ArchiveLine {
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

/** Undefined for a text that {@link lineOf} cannot have made. */
export function readLine(text: string): ArchiveLine | undefined {
  const fields = fieldsOf(text)
  const { amount_micro_credits: amount, created_at_ms: createdAtMs, id, kind, uid } = fields
  const state = STATES.find((one) => one === fields['state'])
  if (kind !== 'call' && kind !== 'grant') return undefined
  if (state === undefined || (state === 'granted') !== (kind === 'grant')) return undefined
  if (typeof uid !== 'string' || typeof id !== 'string') return undefined
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(createdAtMs)) return undefined
  return { kind, uid, id, state, amount: Number(amount), createdAtMs: Number(createdAtMs), text }
}

function fieldsOf(text: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // No line of ours: the caller reports it.
    return {}
  }
}

/** Call ids and grant ids count for one user each. */
export function keyOf({ id, kind, uid }: Pick<ArchiveLine, 'id' | 'kind' | 'uid'>): string {
  return `${kind} ${id} ${uid}`
}

/**
 * One line for each entry, even where batches repeated it. A call moves from settled to refunded once at
 * most, so of two lines of a call the refunded one is the later. A grant loses its reason once at most, when
 * its user is deleted, so of two lines of a grant the shorter one is the later.
 */
export function mergeLines(lines: Iterable<ArchiveLine>): readonly ArchiveLine[] {
  const byKey = new Map<string, ArchiveLine>()
  for (const line of lines) {
    const key = keyOf(line)
    const before = byKey.get(key)
    if (before === undefined || isLater(line, before)) byKey.set(key, line)
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

function isLater({ kind, text }: ArchiveLine, before: ArchiveLine): boolean {
  return kind === 'grant' ? text.length < before.text.length : before.state === 'settled'
}
