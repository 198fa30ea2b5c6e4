/**
 * The calls that a key may make in a day (UTC), and how many it has made. The write that places the
 * hold of a call counts it. A call stays counted even if it fails. Bound by docs/service.md, Calls
 * per day.
 *
 *   Monday: 3 of 3 ─┬─ Tuesday: a hold opens the day, 1 of 3
 *                   └─ a hold whose clock is still in Monday counts in Tuesday: no day goes back
 */
import { DAY_MS, parseDayStart, toUtcDay } from '../json/utc-time.ts'
import type { KeyDay, KeyDays, Profile } from './ledger.ts'
import { KEY_DAYS_MAX } from './limits.ts'

/** A new limit, which keeps the calls of the day, or the end of the limit. */
export type KeyDayChange = { readonly limit: number; readonly nowMs: number } | 'none'

type ProfileDays = Pick<Profile, 'keyDays'>

/** The fields of a call that the limit of a day needs. */
export type DatedCall = {
  readonly heldAtMs: number
  readonly keyHash: string | undefined
  /** The key that issued the sub-key of the call. */
  readonly parentHash?: string | undefined
}

/** The day of a key; undefined if the key has no limit. */
export function findKeyDay(
  { keyDays = {} }: ProfileDays,
  keyHash: string | undefined,
): KeyDay | undefined {
  return keyHash !== undefined && Object.hasOwn(keyDays, keyHash) ? keyDays[keyHash] : undefined
}

/** The count at a time: that of the stored day, or 0 if a later day has begun. */
export function toCurrentDay(keyDay: KeyDay, atMs: number): KeyDay {
  const day = toUtcDay(atMs)
  return keyDay.day >= day ? keyDay : { ...keyDay, day, calls: 0 }
}

/** True if a day counts calls of the key, or of the key that issued it. */
export function hasDayLimit(
  profile: ProfileDays,
  { keyHash, parentHash }: Omit<DatedCall, 'heldAtMs'>,
): boolean {
  return [keyHash, parentHash].some((hash) => findKeyDay(profile, hash) !== undefined)
}

export type UsedUpDay = {
  readonly whose: 'key' | 'parent'
  readonly keyHash: string
  readonly day: KeyDay
}

/** The day that has no call left for this one, the key's first; undefined if it may be made. */
export function findUsedUpDay(profile: ProfileDays, call: DatedCall): UsedUpDay | undefined {
  const { heldAtMs, keyHash, parentHash } = call
  return (
    findUsedUp('key', profile, keyHash, heldAtMs) ??
    findUsedUp('parent', profile, parentHash, heldAtMs)
  )
}

function findUsedUp(
  whose: UsedUpDay['whose'],
  profile: ProfileDays,
  keyHash: string | undefined,
  atMs: number,
): UsedUpDay | undefined {
  const stored = findKeyDay(profile, keyHash)
  if (stored === undefined || keyHash === undefined) return undefined
  const day = toCurrentDay(stored, atMs)
  return isUsedUp(day) ? { whose, keyHash, day } : undefined
}

export function isUsedUp({ calls, limit }: KeyDay): boolean {
  return calls >= limit
}

/** The first millisecond of the next day. */
export function toDayEndMs(day: string): number {
  return parseDayStart(day) + DAY_MS
}

/**
 * The days after a change, or `full` if the key would be one too many. `keys` are the user's keys,
 * listed after `before` was read. Days of other keys are dropped.
 */
export function applyKeyDayChange(
  before: KeyDays,
  of: { readonly keyHash: string; readonly change: KeyDayChange; readonly keys: readonly string[] },
): KeyDays | 'full' {
  const { change, keyHash, keys } = of
  const others = Object.entries(before).filter(([hash]) => hash !== keyHash && keys.includes(hash))
  if (change === 'none') return Object.fromEntries(others)
  const current = findKeyDay({ keyDays: before }, keyHash)
  if (current === undefined && others.length >= KEY_DAYS_MAX) return 'full'
  const { toldDay: _, ...kept } = current ?? { day: toUtcDay(change.nowMs), calls: 0 }
  return Object.fromEntries([...others, [keyHash, { ...kept, limit: change.limit }]])
}
