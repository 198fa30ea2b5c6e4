/**
 * The number of removals in a record of secrets. Each write requires the number that its caller
 * read, and each removal increases it.
 *
 *   put ── refused, since the record is full ── a removal makes room (4 ▶ 5) ── a late copy of the
 *   put requires 4 ✘
 *
 * A token does not recognise a copy of a refused transaction, so its condition must never be met
 * again. Otherwise a write is refused only for a removed name or a full record, and only a removal
 * changes either. Puts do not increase the number, so that parallel puts do not refuse each other.
 * Records are never removed, so the number never starts again.
 */
import { Fault } from '../../../core/errors.ts'
import type { Item } from '../client/item.ts'

/**
 * Each failed try means a removal or a first secret; administrators do not make so many at once.
 */
export const SECRET_TRIES_MAX = 20

/** A record of secrets without its sealed values. */
export type SecretNames = {
  readonly names: readonly string[]
  readonly removals: number
}

/** The condition that no name was removed since the record was read, with its values. */
export function ifNoRemovalSince({ removals }: SecretNames): {
  readonly isUnchanged: string
  readonly values: Item
} {
  return { isUnchanged: '#removals = :removals', values: { removals } }
}

/** Repeats `once` until it resolves to an answer; undefined means that another write was first. */
export async function retryWrite<T>(once: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= SECRET_TRIES_MAX; tries += 1) {
    const answer = await once()
    if (answer !== undefined) return answer
  }
  throw new Fault('store_unavailable', 'store: too many removals of secrets at once')
}
