/** Parses what administrators send about users; every fault at once, with its pointer. */
import { isIdentifier, isUsername, USERNAME_CHARS_MAX } from '../access/user-names.ts'
import { err, type FieldFault, ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { parseCredits } from '../ledger/amount.ts'
import type { MicroCredits } from '../ledger/ledger.ts'

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
    faults.push({
      pointer: '/username',
      message: `must be 1 to ${USERNAME_CHARS_MAX} characters without control characters`,
    })
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

const IDENTIFIER_RULE = 'must be 1 to 64 characters of A-Z, a-z, 0-9, - and _'

function readCredits(value: Json, pointer: string, faults: FieldFault[]): MicroCredits {
  if (typeof value !== 'number' && typeof value !== 'string') {
    faults.push({ pointer, message: 'must be a number of credits, such as 2.5' })
    return 0
  }
  const parsed = parseCredits(value)
  if (parsed.ok) return parsed.value
  faults.push({ pointer, message: parsed.error.detail })
  return 0
}

export function fieldsOf(body: Json, known: readonly string[]): Result<JsonObject> {
  if (!isJsonObject(body)) return refuse('malformed', 'body: must be a JSON object.')
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  if (unknown.length === 0) return ok(body)
  return badBody(
    unknown.map((name) => ({
      pointer: `/${name}`,
      message: `is not a field of this request; it takes ${known.join(', ')}`,
    })),
  )
}

export function badBody(faults: readonly FieldFault[]): Result<never> {
  const summary = faults.map((fault) => `${fault.pointer}: ${fault.message}`).join('; ')
  return err({ code: 'invalid_arguments', detail: summary, faults })
}
