/** Reads pairs of names and values that a person gave as words. */
import { usageFault } from '../terminal/exit-code.ts'

/**
 * Returns the pairs as an object. Throws a usage fault for a name that is given twice, because one
 * of its values would be ignored.
 */
export function eachOnce<T>(pairs: readonly (readonly [string, T])[]): { [name: string]: T } {
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw usageFault(`${twice} is given twice.`, 'Give it once.')
  return Object.fromEntries(pairs)
}
