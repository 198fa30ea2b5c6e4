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
import { err, type FieldFault, ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { jsonPointer } from '../../json/json-pointer.ts'
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

export function readGrant(body: Json): Result<{ grantId: string; amount: MicroCredits }> {
  const fields = fieldsOf(body, ['grantId', 'amount'])
  if (!fields.ok) return fields
  const { grantId, amount = null } = fields.value
  const faults: FieldFault[] = []
  if (!isIdentifier(grantId)) faults.push({ pointer: '/grantId', message: IDENTIFIER_RULE })
  const micro = readCredits(amount, '/amount', faults)
  if (micro === 0 && faults.length === 0)
    faults.push({ pointer: '/amount', message: 'must be more than 0' })
  if (faults.length > 0 || !isIdentifier(grantId)) return badBody(faults)
  return ok({ grantId, amount: micro })
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

export function fieldsOf(body: Json, known: readonly string[]): Result<JsonObject> {
  if (!isJsonObject(body)) return refuse('malformed', 'body: must be a JSON object.')
  const unknown = unknownFields(body, known, 'field')
  return unknown.length === 0 ? ok(body) : badBody(unknown)
}

/** Faults in one refusal; the rest shows when these are mended. */
export const FIELD_FAULTS_MAX = 20
/** UTF-16 units of a name that is repeated: it comes from the sender. */
const NAME_UNITS_MAX = 64
/** Faults that the sentence names; all are in the list. */
const FAULTS_TOLD_MAX = 5

/** What was sent and is not taken, with what is. `what` is how texts call one: field, parameter. */
export function unknownFields(
  sent: object,
  known: readonly string[],
  what: string,
): readonly FieldFault[] {
  const takes = known.length === 0 ? 'none' : known.join(', ')
  const unknown = Object.keys(sent).filter((name) => !known.includes(name))
  return unknown.slice(0, FIELD_FAULTS_MAX).map((name) => ({
    pointer: jsonPointer([name.slice(0, NAME_UNITS_MAX).toWellFormed()]),
    message: `is not a ${what} of this request; it takes ${takes}`,
  }))
}

export function badBody(faults: readonly FieldFault[]): Result<never> {
  return refuseFields('invalid_arguments', faults)
}

/** One refusal for all faults; short, however many there are. */
export function refuseFields(
  code: 'invalid_arguments' | 'malformed',
  faults: readonly FieldFault[],
): Result<never> {
  const told = faults
    .slice(0, FAULTS_TOLD_MAX)
    .map(({ pointer, message }) => `${pointer || 'body'}: ${message}`)
  const more = faults.length - told.length
  const rest = more > 0 ? [`and ${more} more`] : []
  const shown = faults.slice(0, FIELD_FAULTS_MAX)
  return err({ code, detail: [...told, ...rest].join('; '), faults: shown })
}
