/**
 * One call as lists show it to its user and to administrators: held while it runs, then its
 * outcome. Holds come from the profile, ended calls from the outcomes. Neither contains arguments
 * or secrets. Bound by docs/service.md, User administration.
 */
import { writeCursor } from '../json/cursor.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { MicroCredits, Outcome, Profile, RefundReason } from './ledger.ts'

export type LedgerEntry = {
  readonly callId: string
  /** Undefined if the call was voided before its skill was known. */
  readonly skill:
    | { readonly skillId: string; readonly source: SkillSource; readonly version?: number }
    | undefined
  readonly state: 'held' | 'settled' | 'refunded'
  readonly reason: RefundReason | undefined
  readonly amount: MicroCredits
  readonly createdAtMs: number
  /** Undefined while the call runs. */
  readonly ended:
    | {
        readonly atMs: number
        readonly durationMs: number
        readonly upstreamStatus: number | undefined
      }
    | undefined
}

/** The start of the next page. */
export type LedgerPosition =
  | { readonly kind: 'held'; readonly heldAtMs: number; readonly callId: string }
  /** `before` is undefined for the start at the newest outcome. */
  | { readonly kind: 'ended'; readonly before: string | undefined }

/**
 * Calls on hold after the position `after`, newest first; calls of one millisecond are sorted by
 * id.
 */
export function listHeldEntries(
  profile: Pick<Profile, 'holds'>,
  after: { heldAtMs: number; callId: string } | undefined,
): readonly LedgerEntry[] {
  const entries = Object.entries(profile.holds).map(
    ([callId, hold]): LedgerEntry => ({
      callId,
      skill: { skillId: hold.skillId, source: hold.source },
      state: 'held',
      reason: undefined,
      amount: hold.amount,
      createdAtMs: hold.heldAtMs,
      ended: undefined,
    }),
  )
  const isBehind = (entry: LedgerEntry) =>
    after === undefined ||
    compareAge(entry, { ...entry, ...after, createdAtMs: after.heldAtMs }) > 0
  return entries.filter(isBehind).sort(compareAge)
}

/** The entry of a call that has ended. */
export function toEndedEntry(outcome: Outcome): LedgerEntry {
  const { skillId, source, skillVersion, endedAtMs, durationMs, upstreamStatus } = outcome
  const version = skillVersion === 0 ? {} : { version: skillVersion }
  return {
    callId: outcome.callId,
    skill: skillId === '' ? undefined : { skillId, source, ...version },
    state: outcome.state,
    reason: outcome.reason,
    amount: outcome.amount,
    createdAtMs: outcome.createdAtMs,
    ended: { atMs: endedAtMs, durationMs, upstreamStatus },
  }
}

/** Micro-credits that the call has cost so far: 0 for a hold and for a refund. */
export function readCharge(entry: LedgerEntry): MicroCredits {
  return entry.state === 'settled' ? entry.amount : 0
}

/** The cursor of a position; {@link parseLedgerPosition} reads it. */
export function writeLedgerCursor(position: LedgerPosition): string {
  switch (position.kind) {
    case 'held':
      return writeCursor(`held:${position.heldAtMs}:${position.callId}`)
    case 'ended':
      return writeCursor(`ended:${position.before ?? ''}`)
    default:
      return position satisfies never
  }
}

/** Returns undefined if the text is not from a cursor of this list. */
export function parseLedgerPosition(text: string): LedgerPosition | undefined {
  const held = /^held:(\d{1,15}):([A-Za-z0-9_-]{1,128})$/.exec(text)
  if (held?.[2] !== undefined) {
    return { kind: 'held', heldAtMs: Number(held[1]), callId: held[2] }
  }
  const ended = /^ended:([A-Za-z0-9_-]{0,128})$/.exec(text)
  return ended === null ? undefined : { kind: 'ended', before: ended[1] || undefined }
}

function compareAge(a: LedgerEntry, b: LedgerEntry): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  if (a.callId === b.callId) return 0
  return a.callId < b.callId ? 1 : -1
}
