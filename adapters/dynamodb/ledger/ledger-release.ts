/**
 * The end of a hold: it leaves the profile, with or without its credits. One conditional write.
 * Bound by docs/service.md, Release.
 */
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { profileFrom } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'

type Release = Parameters<Ledger['release']>[0]

/** Removes the hold at most once, together with its placement number. */
export const REMOVE_HOLD = 'REMOVE #holds.#callId, #placements.#callId'
export const HELD = 'attribute_exists(#holds.#callId)'

export const RELEASE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/**
 * The amount given back is the hold's own, added by the write that removes the hold: a second
 * release finds no hold, so nothing is paid twice. Its refusal returns the profile. Dying before:
 * the sweep releases by the outcome. Dying after: all is done.
 */
export async function release(
  store: DynamoStore,
  { uid, callId, giveBack, placement }: Release,
): Promise<Profile | undefined> {
  const answer = await store.update(store.tables.gateway, {
    key: profileKey(uid),
    set: `${giveBack ? 'SET #credits = #credits + #holds.#callId.#amount ' : ''}${REMOVE_HOLD}`,
    if: placement === undefined ? HELD : `${HELD} AND #placements.#callId = :placement`,
    names: { callId },
    ...(placement === undefined ? {} : { values: { placement } }),
  })
  const item = answer.kind === 'written' ? answer.item : answer.old
  return item === undefined ? undefined : profileFrom(item)
}
