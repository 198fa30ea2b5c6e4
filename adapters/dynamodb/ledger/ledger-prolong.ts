/**
 * Moves the deadline of a task's hold: one conditional write. Bound by docs/service.md, Holds and
 * Tasks.
 */
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'
import { IF_HELD } from './ledger-release.ts'

export const PROLONG_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/**
 * Only forward, so a copy that comes late, behind a later deadline, changes nothing.
 *
 *   worker: prolong ✔ ── asks ── an hour ── sweep: stale, refunded
 *   sweep: stale by the old deadline ── prolong ✔ ── outcome refunded ── release: the call is free, whoever ends it
 *   release, by a void or the sweep ── prolong: refused, no hold: the worker goes on with nothing
 * Dying before: the old deadline. Dying after: the hold stands longer, until a reader or the sweep
 * ends it.
 */
export async function prolongHold(
  store: DynamoStore,
  { callId, placement, uid, untilMs }: Parameters<Ledger['prolong']>[0],
): Promise<Profile | undefined> {
  const answer = await store.update(store.tables.gateway, {
    key: profileKey(uid),
    set: 'SET #deadlines.#callId = :untilMs',
    if: `${IF_HELD} AND #placements.#callId = :placement AND #deadlines.#callId < :untilMs`,
    names: { callId },
    values: { placement, untilMs },
  })
  if (answer.kind === 'written') return fromProfileItem(answer.item)
  const profile = answer.old === undefined ? undefined : fromProfileItem(answer.old)
  return profile?.holds[callId]?.placement === placement ? profile : undefined
}
