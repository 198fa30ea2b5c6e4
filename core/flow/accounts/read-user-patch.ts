/** Parses what an administrator changes of a user: name, tier, or both; nothing that is money. */
import {
  IDENTIFIER_CHARS_MAX,
  isIdentifier,
  isUsername,
  USERNAME_CHARS_MAX,
} from '../../access/user-names.ts'
import { type FieldFault, ok, type Result, refuse } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { badBody, fieldsOf } from './read-user.ts'

export type UserPatch = { readonly username?: string; readonly tier?: string }

export function readUserPatch(body: Json): Result<UserPatch> {
  const fields = fieldsOf(body, ['username', 'tier'])
  if (!fields.ok) return fields
  const { username, tier } = fields.value
  if (username === undefined && tier === undefined) {
    return refuse('malformed', 'body: changes nothing. Send username, tier or both.')
  }
  const faults: FieldFault[] = []
  if (username !== undefined && !isUsername(username)) faults.push(USERNAME_FAULT)
  if (tier !== undefined && !isIdentifier(tier)) faults.push(TIER_FAULT)
  if (faults.length > 0) return badBody(faults)
  return ok({
    ...(isUsername(username) ? { username } : {}),
    ...(isIdentifier(tier) ? { tier } : {}),
  })
}

const USERNAME_FAULT: FieldFault = {
  pointer: '/username',
  message: `must be 1 to ${USERNAME_CHARS_MAX} characters without control characters`,
}
const TIER_FAULT: FieldFault = {
  pointer: '/tier',
  message: `must be 1 to ${IDENTIFIER_CHARS_MAX} characters of A-Z, a-z, 0-9, - and _`,
}
