/**
 * What a tool list of the prefix `sg` has besides skills. Tests of lists take the names from here, so that a new built-in
 * tool changes built-in-tools.test.ts alone, which spells the names.
 */
import { BUILT_IN_NAMES } from '../../../core/skills/built-in-names.ts'

export const BUILT_IN: readonly string[] = BUILT_IN_NAMES.filter(
  (name) => name !== 'issue_key',
).map((name) => `sg_${name}`)

/** The names of a whole list, in its order: the built-in tools and these skills. */
export function listWith(...skills: readonly string[]): readonly string[] {
  return [...BUILT_IN, ...skills].toSorted()
}
