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
import { ok, type Result } from '../../errors.ts'
import { readPageStart } from '../../json/cursor.ts'
import {
  cursorOf,
  endedEntry,
  heldEntries,
  type LedgerEntry,
  type LedgerPosition,
  positionIn,
} from '../../ledger/entry.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'

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
  const place = readPageStart(page.cursor, positionIn)
  if (!place.ok) return place
  const from = place.value
  const held = from?.kind === 'ended' ? [] : heldEntries(profile, from)
  const shown = held.slice(0, page.limit)
  const last = shown.at(-1)
  if (last !== undefined && shown.length === page.limit) {
    return ok({
      entries: shown,
      nextCursor: cursorOf(toNextPosition(last, held.length > page.limit)),
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
    entries: [...shown.filter(({ callId }) => !ended.has(callId)), ...outcomes.map(endedEntry)],
    nextCursor: next === undefined ? undefined : cursorOf({ kind: 'ended', before: next }),
  })
}

function toNextPosition(last: LedgerEntry, more: boolean): LedgerPosition {
  return more
    ? { kind: 'held', heldAtMs: last.createdAtMs, callId: last.callId }
    : { kind: 'ended', before: undefined }
}
