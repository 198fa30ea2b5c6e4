/**
 * Which writes a caller waits for, and what a power cut can lose. Grants, voids of charged calls,
 * users, keys, secrets, skills, events and the trail of changes are on the disk before their
 * callers are answered. That is all of the Gateway table except the prefixes below. Other writes
 * wait only for the commit of their turn.
 *
 * An outcome of a call is flushed at once, but no caller waits for the flush: the call was answered
 * before, and its release follows. If callers waited, a slow disk would keep the holds of a caller
 * that makes one call after another, until a hold is refused. A power cut loses the newest writes,
 * so an outcome is never lost without the release after it. The hold remains, and the sweep gives
 * it back. A hold, release or count that is lost costs nobody anything.
 */
import type { StoredItem } from '../items/item-tables.ts'
import {
  BROADCAST_COPIES_PK,
  EXCERPT_PK,
  GRANT_SK,
  type Key,
  LEDGER_PK,
  MINUTE_PK,
  PROFILE_PK,
  SECRETS_USED_PK,
  SWEEP_CURSOR_PK,
  USAGE_DETAILS_PK,
  USAGE_HEAD_PK,
  USAGE_PAGES_PK,
  USAGE_SKILLS_PK,
  V0_ASKED_PK,
} from '../table.ts'
import type { AnswerWait, WrittenItem } from './written.ts'

const UNFLUSHED_PKS: readonly string[] = [
  BROADCAST_COPIES_PK,
  EXCERPT_PK,
  MINUTE_PK,
  SECRETS_USED_PK,
  SWEEP_CURSOR_PK,
  USAGE_DETAILS_PK,
  USAGE_HEAD_PK,
  USAGE_PAGES_PK,
  USAGE_SKILLS_PK,
  V0_ASKED_PK,
]

/** What the caller of this write waits for. */
export function classifyFlush({
  key,
  old,
  stored,
  table,
}: WrittenItem): Exclude<AnswerWait, 'nothing'> {
  if (table !== 'gateway') return 'turn'
  if (key.pk.startsWith(PROFILE_PK)) return isHoldOrRelease(stored, old) ? 'turn' : 'flush'
  if (key.pk.startsWith(LEDGER_PK)) return isEndOfCall(key, old) ? 'behind' : 'flush'
  return UNFLUSHED_PKS.some((pk) => key.pk.startsWith(pk)) ? 'turn' : 'flush'
}

/** True for the first outcome of a call; false for a grant and for a void of an ended call. */
function isEndOfCall({ sk }: Key, old: StoredItem | undefined): boolean {
  return old === undefined && !sk.startsWith(GRANT_SK)
}

/** An update that does not change an attribute keeps the same object as its value. */
function isHoldOrRelease(now: StoredItem | undefined, old: StoredItem | undefined): boolean {
  if (now === undefined || old === undefined) return false
  return now.item['holds'] !== old.item['holds']
}
