/**
 * Parses what administrators send about users; every fault at once, with its pointer. The admin door
 * has held a body against its schema before (lambdas/admin/read-request.ts); who comes by another way
 * meets the same rules here, and what no schema says: amounts are exact.
 */
import {
  IDENTIFIER_RULE,
  isIdentifier,
  isUsername,
  USERNAME_RULE,
} from '../../access/user-names.ts'
import { type FieldFault, ok, type Result, refuse } from '../../errors.ts'
import { badBody, fieldsOf } from '../../json/body-fields.ts'
import type { Json } from '../../json/json.ts'
import { parseCredits } from '../../ledger/amount.ts'
import type { MicroCredits } from '../../ledger/ledger.ts'

export type NewUser = {
  username: string
  uid: string | undefined
  tier: string
  credits: MicroCredits
}

export function readNewUser(body: Json): Result<NewUser> {
  const fields = fieldsOf(body, ['username', 'uid', 'tier', 'credits'])
  if (!fields.ok) return fields
  const { username, uid, tier = 'free', credits = 0 } = fields.value
  const faults: FieldFault[] = []
  if (!isUsername(username)) {
    faults.push({ pointer: '/username', message: USERNAME_RULE })
  }
  if (uid !== undefined && !isIdentifier(uid))
    faults.push({ pointer: '/uid', message: IDENTIFIER_RULE })
  if (!isIdentifier(tier)) faults.push({ pointer: '/tier', message: IDENTIFIER_RULE })
  const amount = readCredits(credits, '/credits', faults)
  if (faults.length > 0 || !isUsername(username) || !isIdentifier(tier)) return badBody(faults)
  return ok({ username, uid: isIdentifier(uid) ? uid : undefined, tier, credits: amount })
}

export type UserPatch = { readonly username?: string; readonly tier?: string }

/** What an administrator changes of a user: name, tier, or both; nothing that is money. */
export function readUserPatch(body: Json): Result<UserPatch> {
  const fields = fieldsOf(body, ['username', 'tier'])
  if (!fields.ok) return fields
  const { username, tier } = fields.value
  if (username === undefined && tier === undefined) {
    return refuse('malformed', 'body: changes nothing. Send username, tier or both.')
  }
  const faults: FieldFault[] = []
  if (username !== undefined && !isUsername(username))
    faults.push({ pointer: '/username', message: USERNAME_RULE })
  if (tier !== undefined && !isIdentifier(tier))
    faults.push({ pointer: '/tier', message: IDENTIFIER_RULE })
  if (faults.length > 0) return badBody(faults)
  return ok({
    ...(isUsername(username) ? { username } : {}),
    ...(isIdentifier(tier) ? { tier } : {}),
  })
}

function readCredits(value: Json, pointer: string, faults: FieldFault[]): MicroCredits {
  if (typeof value !== 'number' && typeof value !== 'string') {
    faults.push({ pointer, message: 'must be a number of credits, such as 2.5' })
    return 0
  }
  const parsed = parseCredits(value)
  if (parsed.ok) return parsed.value
  faults.push({ pointer, message: parsed.error })
  return 0
}
