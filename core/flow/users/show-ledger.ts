/**
 * `GET users/{uid}/ledger`: a page of a user's calls as administrators see them. Amounts are
 * decimals of credits. Bound by docs/service.md, User administration.
 */

import { unknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import { chargedOf, type LedgerEntry } from '../../ledger/entry.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import { LEDGER_PAGE_DEFAULT, LEDGER_PAGE_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { type LedgerReadNeeds, readLedger } from './read-ledger.ts'

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

/** Refuses with `not_found` an unknown user, and with `malformed` a bad limit or cursor. */
export async function showLedger(
  ports: LedgerReadNeeds & { readonly profiles: Pick<Ports['profiles'], 'read'> },
  uid: string,
  query: PageQuery,
): Promise<Result<{ entries: readonly LedgerView[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: LEDGER_PAGE_MAX, otherwise: LEDGER_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return unknownUser(uid)
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
    amount: creditsNumber(entry.amount),
    charged: creditsNumber(chargedOf(entry)),
    ...(reason === undefined ? {} : { reason }),
    createdAtMs,
    ...(ended === undefined ? {} : { endedAtMs: ended.atMs, durationMs: ended.durationMs }),
    ...(ended?.upstreamStatus === undefined ? {} : { upstreamStatus: ended.upstreamStatus }),
  }
}
