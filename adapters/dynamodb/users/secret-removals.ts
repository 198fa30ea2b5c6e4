/**
 * The count of removals in a record of secrets. Each write requires the count that its caller read,
 * and each removal moves it on.
 *
 *   put ── refused, since the record is full ── a removal makes room (count 4 ▶ 5) ── a late copy of
 *   the put requires 4 ✘
 *
 * No token recognises a copy of a refused transaction, so its condition must never be met again. Besides
 * the count, a write is refused for a name that is gone or a record that is full: only a removal causes or
 * ends either. Puts do not move the count, so that puts at once do not refuse
 * each other. Records are never removed, so the count never starts again.
 */
import { Fault } from '../../../core/errors.ts'
import type { Item } from '../client/item.ts'

/** Each try is lost to a removal, or to a first secret; administrators do not make so many at once. */
export const SECRET_TRIES_MAX = 20

/** A record of secrets without its sealed values. */
export type SecretNames = {
  readonly names: readonly string[]
  readonly removals: number
}

/** Holds while no name has been removed since the record was read. */
export function sinceRemoval({ removals }: SecretNames): {
  readonly same: string
  readonly values: Item
} {
  return { same: '#removals = :removals', values: { removals } }
}

/** Repeats `once` until it has an answer; undefined means that another write came in between. */
export async function tryWrite<T>(once: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= SECRET_TRIES_MAX; tries += 1) {
    const answer = await once()
    if (answer !== undefined) return answer
  }
  throw new Fault('store_unavailable', 'store: too many removals of secrets at once')
}
