/**
 * Reads a page of a user's calls, newest first: running calls, then ended ones. Used by the
 * built-in tool `<prefix>_usage` and by the administrators' ledger route. Changes nothing. Bound by
 * docs/service.md, Built-in tools and User administration.
 *
 *   read the profile (holds) ─▶ read the outcomes
 *
 * In this order, a call that ends in between is in both and is shown as ended. In the other order
 * it could be in neither.
 */

import { refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { readPageStart } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import {
  type LedgerEntry,
  type LedgerPosition,
  listHeldEntries,
  parseLedgerPosition,
  readCharge,
  toEndedEntry,
  writeLedgerCursor,
} from '../../ledger/entry.ts'
import type { Profile, RefundReason } from '../../ledger/ledger.ts'
import { LEDGER_PAGE_DEFAULT, LEDGER_PAGE_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'

/** Only reads, so this flow cannot move credits. */
export type LedgerReadNeeds = { readonly ledger: Pick<Ports['ledger'], 'list'> }

export type LedgerPage = {
  readonly entries: readonly LedgerEntry[]
  readonly nextCursor: string | undefined
}

/**
 * `profile` is read before the call. Refuses with `malformed` a cursor that this gateway did not
 * issue.
 */
export async function readLedger(
  ports: LedgerReadNeeds,
  profile: Profile,
  page: { readonly limit: number; readonly cursor: string | undefined },
): Promise<Result<LedgerPage>> {
  const place = readPageStart(page.cursor, parseLedgerPosition)
  if (!place.ok) return place
  const from = place.value
  const held = from?.kind === 'ended' ? [] : listHeldEntries(profile, from)
  const shown = held.slice(0, page.limit)
  const last = shown.at(-1)
  if (last !== undefined && shown.length === page.limit) {
    return ok({
      entries: shown,
      nextCursor: writeLedgerCursor(toNextPosition(last, held.length > page.limit)),
    })
  }
  const before = from?.kind === 'ended' ? from.before : undefined
  const { outcomes, next } = await ports.ledger.list({
    uid: profile.uid,
    limit: page.limit - shown.length,
    ...(before === undefined ? {} : { before }),
  })
  const ended = new Set(outcomes.map(({ callId }) => callId))
  return ok({
    entries: [...shown.filter(({ callId }) => !ended.has(callId)), ...outcomes.map(toEndedEntry)],
    nextCursor: next === undefined ? undefined : writeLedgerCursor({ kind: 'ended', before: next }),
  })
}

function toNextPosition(last: LedgerEntry, more: boolean): LedgerPosition {
  return more
    ? { kind: 'held', heldAtMs: last.createdAtMs, callId: last.callId }
    : { kind: 'ended', before: undefined }
}

export type LedgerView = {
  readonly callId: string
  readonly skillId?: string
  readonly source?: SkillSource
  readonly skillVersion?: number
  readonly state: LedgerEntry['state']
  readonly amount: number
  readonly charged: number
  readonly reason?: RefundReason
  readonly createdAtMs: number
  readonly endedAtMs?: number
  readonly durationMs?: number
  readonly upstreamStatus?: number
}

/**
 * `GET users/{uid}/ledger`: a page of a user's calls as administrators see them. Amounts are
 * decimals of credits. Bound by docs/service.md, User administration. Refuses with `not_found` an
 * unknown user, and with `malformed` a bad limit or cursor.
 */
export async function showLedger(
  ports: LedgerReadNeeds & { readonly profiles: Pick<Ports['profiles'], 'read'> },
  uid: string,
  query: PageQuery,
): Promise<Result<{ entries: readonly LedgerView[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: LEDGER_PAGE_MAX, otherwise: LEDGER_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  const page = await readLedger(ports, profile, { limit: limit.value, cursor: query.cursor })
  if (!page.ok) return page
  const { entries, nextCursor } = page.value
  return ok({
    entries: entries.map(toView),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  })
}

function toView(entry: LedgerEntry): LedgerView {
  const { callId, createdAtMs, ended, reason, skill, state } = entry
  return {
    callId,
    ...(skill === undefined ? {} : { skillId: skill.skillId, source: skill.source }),
    ...(skill?.version === undefined ? {} : { skillVersion: skill.version }),
    state,
    amount: toCreditsNumber(entry.amount),
    charged: toCreditsNumber(readCharge(entry)),
    ...(reason === undefined ? {} : { reason }),
    createdAtMs,
    ...(ended === undefined ? {} : { endedAtMs: ended.atMs, durationMs: ended.durationMs }),
    ...(ended?.upstreamStatus === undefined ? {} : { upstreamStatus: ended.upstreamStatus }),
  }
}
