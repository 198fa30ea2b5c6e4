/** Names with values that a person wrote as words. */
import { usageFault } from '../terminal/exit-code.ts'

/** Throws a usage fault for a name that is given twice: one of its values would be used, perhaps not the one that is meant. */
export function eachOnce<T>(pairs: readonly (readonly [string, T])[]): { [name: string]: T } {
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw usageFault(`${twice} is given twice.`, 'Give it once.')
  return Object.fromEntries(pairs)
}
