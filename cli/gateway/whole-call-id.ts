/**
 * Finds the call that the beginning of an id means. Ids of calls begin with their time, so one list
 * of the calls of that time has all candidates.
 */
import { getArgument, type Invocation } from '../command/command.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import type { AdminClient } from './admin-client.ts'
import { toFields } from './admin-client.ts'
import { BEGINNING_CHARS_MIN, findWholeId } from './whole-id.ts'

/** Characters of a whole id: 9 of time, a dash, and 22. */
const ID_CHARS = 32
/** The time of an id: digits of base 32. */
const TIME = /^([0-9a-v]{1,9})(?:-[\w-]*)?$/
const TIME_CHARS = 9
/** An id may be made up to a minute before its call begins. */
const LEAD_MS = 60_000
/** Times of the API have 13 digits, which begin in 2001. */
const TIME_MIN_MS = 10 ** 12

/** Returns a text that is no beginning as it is, for the gateway to refuse. */
export async function findCallId(call: Invocation, admin: AdminClient): Promise<string> {
  const typed = getArgument(call, 'CALL')
  const [, time] = TIME.exec(typed) ?? []
  if (time === undefined || typed.length >= ID_CHARS || typed.length < BEGINNING_CHARS_MIN) {
    return typed
  }
  const sinceMs = Number.parseInt(time.padEnd(TIME_CHARS, '0'), 32)
  const untilMs = Number.parseInt(time.padEnd(TIME_CHARS, 'v'), 32) + LEAD_MS + 1
  if (sinceMs < TIME_MIN_MS) return typed
  const query = { since: String(sinceMs), until: String(untilMs), user: call.given['user']?.at(-1) }
  const page = await admin.send({ method: 'GET', path: '/calls', query })
  const ids = (Array.isArray(page['calls']) ? page['calls'] : [])
    .map((one) => String(toFields(one)['callId']))
    .filter((id) => id.startsWith(typed))
  if (ids.length < 2 && page['nextCursor'] !== undefined) {
    throw new CommandFault(`There are too many calls of that time to look for ${typed}.`, {
      exitCode: EXIT.usage,
      remedy: 'Type more of the id.',
    })
  }
  if (ids.length === 0) return typed
  const choices = ids.map((id) => ({ id }))
  return findWholeId(typed, choices, { noun: 'call', list: 'skillgate calls ls' })
}
