/** The place of a secret: its name and skill. Also the order of lists. */
import type { StoredSecret } from './secret.ts'

export type SecretPlace = Pick<StoredSecret, 'name' | 'skillId'>

/** Sorts before all other places. */
export const FIRST_PLACE: SecretPlace = { skillId: undefined, name: '' }

/** Compares places: global secrets first, then by skill and name, in code units. */
export function byPlace(a: SecretPlace, b: SecretPlace): number {
  const [skillA, skillB] = [a.skillId ?? '', b.skillId ?? '']
  if (skillA !== skillB) return skillA < skillB ? -1 : 1
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}
