/**
 * What a caller waits for, and what a loss of power can take. Grants, voids of charged calls, users, keys, secrets,
 * skills, events and the trail of changes are on the disk before their callers hear of them: all of the Gateway
 * table but what is listed here. The rest waits for the commit of its turn.
 *
 * How a call ended is flushed at once, and nobody waits: the call was answered before, and its release follows. A
 * busy disk would else keep the holds of a caller that makes one call after another, until it is refused. A loss of
 * power takes the newest writes, so never an outcome without the release behind it; it leaves the hold, and the sweep
 * gives that back. A hold, a release or a count that is lost costs nobody anything.
 */
import type { Stored } from '../items/item-tables.ts'
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
  USAGE_HEAD_PK,
  USAGE_PAGES_PK,
  USAGE_SUMS_PKS,
  V0_ASKED_PK,
} from '../table.ts'
import type { Touched, Written } from './written.ts'

const UNFLUSHED_PKS: readonly string[] = [
  BROADCAST_COPIES_PK,
  EXCERPT_PK,
  MINUTE_PK,
  SECRETS_USED_PK,
  SWEEP_CURSOR_PK,
  USAGE_HEAD_PK,
  USAGE_PAGES_PK,
  ...Object.values(USAGE_SUMS_PKS),
  V0_ASKED_PK,
]

export function flushOf({ key, old, stored, table }: Written): Exclude<Touched, 'nothing'> {
  if (table !== 'gateway') return 'turn'
  if (key.pk.startsWith(PROFILE_PK)) return isHoldOrRelease(stored, old) ? 'turn' : 'flush'
  if (key.pk.startsWith(LEDGER_PK)) return isEndOfCall(key, old) ? 'behind' : 'flush'
  return UNFLUSHED_PKS.some((pk) => key.pk.startsWith(pk)) ? 'turn' : 'flush'
}

/** Not a grant, which lies beside them, and no void of a call that has ended. */
function isEndOfCall({ sk }: Key, old: Stored | undefined): boolean {
  return old === undefined && !sk.startsWith(GRANT_SK)
}

/** An update that leaves an attribute alone keeps its value, the same object. */
function isHoldOrRelease(now: Stored | undefined, old: Stored | undefined): boolean {
  if (now === undefined || old === undefined) return false
  return now.item['holds'] !== old.item['holds']
}
