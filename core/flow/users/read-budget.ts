/** Parses a monthly budget as administrators send it: credits, or null to end it. */
import { err, ok, type Result } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { parseCredits } from '../../ledger/amount.ts'
import type { BudgetChange } from '../../ledger/budget.ts'

/** An error is a clause that follows the name of the field. */
export function readBudget(value: Json, nowMs: number): Result<BudgetChange, string> {
  if (value === null) return ok('none')
  if (typeof value !== 'number' && typeof value !== 'string') {
    return err('must be a number of credits, such as 2.5, or null for no budget')
  }
  const limit = parseCredits(value)
  return limit.ok ? ok({ limit: limit.value, nowMs }) : limit
}
