/**
 * Which writes must survive a loss of power before their callers hear of them: outcomes and grants, users, keys,
 * secrets, skills, events, the trail of changes; all of the Gateway table but what is listed here. What is lost
 * costs nobody anything: a hold belongs to a call that is gone, and the sweep ends a hold whose release was lost.
 */
import type { Stored } from '../items/item-tables.ts'
import {
  BROADCAST_COPIES_PK,
  EXCERPT_PK,
  MINUTE_PK,
  PROFILE_PK,
  SECRETS_USED_PK,
  SWEEP_CURSOR_PK,
  USAGE_HEAD_PK,
  USAGE_PAGES_PK,
  USAGE_SUMS_PKS,
  V0_ASKED_PK,
} from '../table.ts'
import type { Written } from './written.ts'

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

export function mustBeFlushed({ key, old, stored, table }: Written): boolean {
  if (table !== 'gateway') return false
  if (key.pk.startsWith(PROFILE_PK)) return !isHoldOrRelease(stored, old)
  return !UNFLUSHED_PKS.some((pk) => key.pk.startsWith(pk))
}

/** An update that leaves an attribute alone keeps its value, the same object. */
function isHoldOrRelease(now: Stored | undefined, old: Stored | undefined): boolean {
  if (now === undefined || old === undefined) return false
  return now.item['holds'] !== old.item['holds']
}
