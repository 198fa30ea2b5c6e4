/**
 * `PATCH users/{uid}/keys/{keyId}`: sets or ends the monthly budget of a key. The budget is part of
 * the profile, where the hold of a call is counted. Bound by docs/service.md, Budgets.
 */
import { unknownUser } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { badBody, fieldsOf } from '../../json/body-fields.ts'
import type { Json } from '../../json/json.ts'
import { keyBudgetOf } from '../../ledger/budget.ts'
import { KEY_BUDGETS_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import { type KeyView, unknownKey, viewOf } from './manage-keys.ts'
import { readBudget } from './read-budget.ts'

type Needs = Pick<Ports, 'clock' | 'keys' | 'profiles'>

/**
 * Refuses with `not_found` a key that is not this user's, and with `conflict` one budget too many.
 */
export async function changeKey(
  ports: Needs,
  { keyId, uid }: { readonly uid: string; readonly keyId: string },
  body: Json,
): Promise<Result<KeyView>> {
  const fields = fieldsOf(body, ['monthlyBudget'])
  if (!fields.ok) return fields
  const nowMs = ports.clock.nowMs()
  const { monthlyBudget } = fields.value
  if (monthlyBudget === undefined) {
    return refuse('malformed', 'body: changes nothing. Send monthlyBudget.')
  }
  const read = readBudget(monthlyBudget, nowMs)
  if (!read.ok) return badBody([{ pointer: '/monthlyBudget', message: read.error }])
  const records = await ports.keys.list(uid)
  const record = records.find(({ keyHash }) => keyHash === keyId)
  if (record === undefined) return unknownKey()
  const keys = records.map(({ keyHash }) => keyHash)
  const of = { uid, keyHash: keyId, change: read.value, keys }
  const profile = await ports.profiles.changeKeyBudget(of)
  if (profile === 'full') {
    return refuse(
      'conflict',
      `monthlyBudget: ${KEY_BUDGETS_MAX} keys of this user have a budget, the most allowed. End one, or set the budget of the user.`,
    )
  }
  if (profile === undefined) return unknownUser(uid)
  return ok(viewOf(record, keyBudgetOf(profile, keyId), nowMs))
}
