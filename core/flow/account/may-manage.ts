/**
 * Which credentials of a user may manage the account: make and revoke keys, set secrets, end logins.
 * A credential that was made for less, or that a client of the user holds, may not: with a key that
 * it made it could do what it may not do itself. Bound by docs/service.md, Users' API, and ADR 0144.
 */

import type { CredentialForm } from '../../access/credential.ts'
import type { Principal } from '../../access/principal.ts'
import type { Refusal } from '../../errors.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { Profile } from '../../ledger/ledger.ts'

export type AccountCaller = {
  readonly principal: Principal
  /** Of the credential that came. */
  readonly form: CredentialForm
  readonly profile: Profile
}

/**
 * Returns why the caller may not manage the account, or undefined if it may: with an API key without
 * limits, or with an access token that has the scope `account` and belongs to such a key or identity.
 */
export function findManageRefusal({
  form,
  principal,
  profile,
}: AccountCaller): Refusal | undefined {
  const { keyHash, managesAccount, parentHash, scope = {}, v0 } = principal
  const isToken = form === 'access-token' || form === 'identity'
  if (isToken && managesAccount !== true) return NO_ACCOUNT_SCOPE
  if (parentHash !== undefined) return refuseKey('is a sub-key')
  // The key is in no list of keys yet, so nobody could see it revoked while it makes another one.
  if (v0 === true) return refuseKey('is of the earlier service and not moved yet')
  const limits = [scope.tools, scope.maxCreditsPerCall, findKeyBudget(profile, keyHash)]
  const isLimited = [...limits, findKeyDay(profile, keyHash)].some((limit) => limit !== undefined)
  return isLimited ? refuseKey(isToken ? 'belongs to a key with limits' : 'has limits') : undefined
}

const NO_ACCOUNT_SCOPE: Refusal = {
  code: 'insufficient_scope',
  detail:
    'Authorization: this access token has no scope account, so it may not manage your account. Send an API key without limits, or sign in with that scope.',
}

function refuseKey(why: string): Refusal {
  return {
    code: 'key_scope',
    detail: `Authorization: this credential ${why}, so it may not manage your account. Send an API key without limits; an administrator can issue one.`,
  }
}
