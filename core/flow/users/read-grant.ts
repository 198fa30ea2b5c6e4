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

/** With `allowNegative` a correction may take the balance down to CREDITS_MIN, otherwise to 0. */
export function readGrant(body: Json): Result<SentGrant> {
  const fields = readBodyFields(body, ['grantId', 'amount', 'reason', 'allowNegative'])
  if (!fields.ok) return fields
  const { grantId, amount = null, reason, allowNegative = false } = fields.value
  const errors: FieldError[] = []
  if (!isIdentifier(grantId)) errors.push({ pointer: '/grantId', message: IDENTIFIER_RULE })
  const micro = readChange(amount, errors)
  if (reason !== undefined && !isReason(reason)) {
    errors.push({ pointer: '/reason', message: withHiddenText(GRANT_REASON_RULE, reason) })
  }
  if (micro < 0 && reason === undefined) {
    errors.push({ pointer: '/reason', message: 'is missing; say why the credits are taken' })
  }
  if (typeof allowNegative !== 'boolean') {
    errors.push({ pointer: '/allowNegative', message: 'must be true or false' })
  }
  // The compiler needs the second condition, which the first one includes.
  if (errors.length > 0 || !isIdentifier(grantId)) return refuseBody(errors)
  return ok({
    grantId,
    amount: micro,
    ...(isReason(reason) ? { reason } : {}),
    creditsMin: allowNegative === true ? CREDITS_MIN : 0,
  })
}

function readChange(value: Json, errors: FieldError[]): MicroCredits {
  const pointer = '/amount'
  if (typeof value !== 'number' && typeof value !== 'string') {
    errors.push({ pointer, message: 'must be a number of credits, such as 2.5 or -2.5' })
    return 0
  }
  const parsed = parseCreditChange(value)
  if (!parsed.ok) errors.push({ pointer, message: parsed.error })
  else if (parsed.value === 0) errors.push({ pointer, message: 'must not be 0' })
  return parsed.ok ? parsed.value : 0
}

/** One line, so that a list of grants stays readable: a line break counts as hidden text. */
function isReason(value: Json | undefined): value is string {
  return (
    typeof value === 'string' &&
    [...value].length <= GRANT_REASON_CHARS_MAX &&
    /\S/.test(value) &&
    explainHiddenText(value) === undefined
  )
}
