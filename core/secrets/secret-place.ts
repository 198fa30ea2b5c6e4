/** Where a secret of a user stands, and the order in which lists show them. */
import type { StoredSecret } from './secret.ts'

export type SecretPlace = Pick<StoredSecret, 'name' | 'skillId'>

/** Before all others. */
export const FIRST_PLACE: SecretPlace = { skillId: undefined, name: '' }

/** Global ones first, then by skill and name; by code units, as everywhere. */
export function byPlace(a: SecretPlace, b: SecretPlace): number {
  const [ours, theirs] = [a.skillId ?? '', b.skillId ?? '']
  if (ours !== theirs) return ours < theirs ? -1 : 1
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}
