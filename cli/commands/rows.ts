/** Arguments and options that several commands share, each with one text. */
import type { Argument, Option } from '../command/command.ts'
import { usageFault } from '../command/exit-code.ts'

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

/** A decimal number, as the gateway takes it. */
export function numberOf(text: string, of: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw usageFault(`${of}: ${text} is not a number.`, 'Write it as 25 or 0.5.')
}
