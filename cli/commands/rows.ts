/**
 * Arguments and options that several commands share, each with one text, and readers of their
 * values.
 */
import {
  type Argument,
  getArgument,
  getOption,
  type Invocation,
  type Option,
} from '../command/command.ts'
import { encodeSegment } from '../gateway/admin-client.ts'
import { parseExactNumber } from '../gateway/exact-json.ts'
import { toUsageFault } from '../terminal/exit-code.ts'

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
export function readNumber(text: string, subject: string): number {
  const number = parseExactNumber(text)
  if (typeof number === 'number') return number
  if (number !== undefined) {
    throw toUsageFault(
      `${subject}: ${text} has more digits than are kept.`,
      'Write it with 15 digits.',
    )
  }
  throw toUsageFault(`${subject}: ${text} is not a number.`, 'Write it as 25 or 0.5.')
}

/**
 * Returns the pairs as an object. Throws a usage fault for a name that is given twice, because one
 * of its values would be ignored.
 */
export function fromUniquePairs<T>(pairs: readonly (readonly [string, T])[]): {
  [name: string]: T
} {
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw toUsageFault(`${twice} is given twice.`, 'Give it once.')
  return Object.fromEntries(pairs)
}

export const SKILL: Argument = { name: 'SKILL', help: 'the id of the skill', completes: 'skills' }

export const TIER: Option = {
  ...SOURCE,
  help: 'tier of the skill (private with --uid, else official)',
}

export const ALLOW_CLEAR_SECRETS: Option = {
  flag: 'allow-clear-secrets',
  help: 'store credentials that the text has in the clear',
}

/** Returns the path of the skill in the admin API, and its query. */
export function readSkillPlace(call: Invocation) {
  const source =
    getOption(call, 'source') ?? (getOption(call, 'uid') === undefined ? 'official' : 'private')
  const path = `/skills/${source}/${encodeSegment(getArgument(call, 'SKILL'))}`
  return { path, query: { uid: getOption(call, 'uid') } }
}
