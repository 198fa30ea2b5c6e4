/** Reads which skill a command means: its id, its tier, and the owner of a private skill. */
import {
  type Argument,
  argument,
  type Invocation,
  type Option,
  option,
} from '../command/command.ts'
import { segment } from '../gateway/admin-client.ts'
import { SOURCE } from './rows.ts'

export const SKILL: Argument = { name: 'SKILL', help: 'the id of the skill', completes: 'skills' }

export const TIER: Option = {
  ...SOURCE,
  help: 'tier of the skill (private with --uid, else official)',
}

/** Returns the path of the skill in the admin API, and its query. */
export function skillPlaceOf(call: Invocation) {
  const source =
    option(call, 'source') ?? (option(call, 'uid') === undefined ? 'official' : 'private')
  const path = `/skills/${source}/${segment(argument(call, 'SKILL'))}`
  return { path, query: { uid: option(call, 'uid') } }
}
