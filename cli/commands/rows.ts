/**
 * Arguments and options that several commands share, each with one text, and readers of their
 * values.
 */
import type { Argument, Option } from '../command/command.ts'
import { exactNumberOf } from '../gateway/exact-json.ts'
import { usageFault } from '../terminal/exit-code.ts'

export const UID: Argument = { name: 'UID', help: 'the id of the user', completes: 'users' }

export const SOURCE: Option = {
  flag: 'source',
  value: 'TIER',
  help: 'tier of the skill',
  choices: ['official', 'market', 'private'],
}

export const OWNER: Option = {
  flag: 'uid',
  value: 'UID',
  help: 'owner of the private skill',
  completes: 'users',
}

/**
 * Reads a decimal number that the gateway accepts. `subject` names the argument. Throws a usage
 * fault for other texts and for more digits than a double keeps.
 */
export function numberOf(text: string, subject: string): number {
  const number = exactNumberOf(text)
  if (typeof number === 'number') return number
  if (number !== undefined) {
    throw usageFault(
      `${subject}: ${text} has more digits than are kept.`,
      'Write it with 15 digits.',
    )
  }
  throw usageFault(`${subject}: ${text} is not a number.`, 'Write it as 25 or 0.5.')
}
