/**
 * Parses a grant or a correction: an exact amount, a reason for later readers of the ledger, and
 * whether the balance may fall below zero. Reports all field errors at once, each with its pointer.
 */
import { IDENTIFIER_RULE, isIdentifier } from '../../access/user-names.ts'
import { type FieldError, ok, type Result } from '../../errors.ts'
import { readBodyFields, refuseBody } from '../../json/body-fields.ts'
import { explainHiddenText, withHiddenText } from '../../json/hidden-text.ts'
import type { Json } from '../../json/json.ts'
import { CREDITS_MIN, parseCreditChange } from '../../ledger/amount.ts'
import type { MicroCredits, NewGrant } from '../../ledger/ledger.ts'
import { GRANT_REASON_CHARS_MAX } from '../../ledger/limits.ts'

export type SentGrant = Pick<NewGrant, 'amount' | 'creditsMin' | 'grantId' | 'reason'>

export const GRANT_REASON_RULE = `must be 1 to ${GRANT_REASON_CHARS_MAX} characters on one line, none of them hidden, not all of them white space`

/** `allowNegative` lowers the limit of a correction from 0 to {@link CREDITS_MIN}. */
export function readGrant(body: Json): Result<SentGrant> {
  const fields = readBodyFields(body, ['grantId', 'amount', 'reason', 'allowNegative'])
  if (!fields.ok) return fields
  const { grantId, amount = null, reason, allowNegative = false } = fields.value
  const faults: FieldError[] = []
  if (!isIdentifier(grantId)) faults.push({ pointer: '/grantId', message: IDENTIFIER_RULE })
  const micro = readChange(amount, faults)
  if (reason !== undefined && !isReason(reason)) {
    faults.push({ pointer: '/reason', message: withHiddenText(GRANT_REASON_RULE, reason) })
  }
  if (micro < 0 && reason === undefined) {
    faults.push({ pointer: '/reason', message: 'is missing; say why the credits are taken' })
  }
  if (typeof allowNegative !== 'boolean') {
    faults.push({ pointer: '/allowNegative', message: 'must be true or false' })
  }
  if (faults.length > 0 || !isIdentifier(grantId)) return refuseBody(faults)
  return ok({
    grantId,
    amount: micro,
    ...(isReason(reason) ? { reason } : {}),
    creditsMin: allowNegative === true ? CREDITS_MIN : 0,
  })
}

function readChange(value: Json, faults: FieldError[]): MicroCredits {
  const pointer = '/amount'
  if (typeof value !== 'number' && typeof value !== 'string') {
    faults.push({ pointer, message: 'must be a number of credits, such as 2.5 or -2.5' })
    return 0
  }
  const parsed = parseCreditChange(value)
  if (!parsed.ok) faults.push({ pointer, message: parsed.error })
  else if (parsed.value === 0) faults.push({ pointer, message: 'must not be 0' })
  return parsed.ok ? parsed.value : 0
}

/** One line, so that a list of grants stays readable. */
function isReason(value: Json | undefined): value is string {
  return (
    typeof value === 'string' &&
    [...value].length <= GRANT_REASON_CHARS_MAX &&
    /\S/.test(value) &&
    explainHiddenText(value) === undefined
  )
}
