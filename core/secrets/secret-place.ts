/** The place of a user's secret, and the order of lists. */
import type { StoredSecret } from './secret.ts'

export type SecretPlace = Pick<StoredSecret, 'name' | 'skillId'>

/** Sorts before all other places. */
export const FIRST_PLACE: SecretPlace = { skillId: undefined, name: '' }

/** Global secrets first, then by skill and name, in code units. */
export function byPlace(a: SecretPlace, b: SecretPlace): number {
  const [ours, theirs] = [a.skillId ?? '', b.skillId ?? '']
  if (ours !== theirs) return ours < theirs ? -1 : 1
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}
