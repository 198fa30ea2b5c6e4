/**
 * Decides which user a request to the users' API comes from, with the flows of the doors that agents
 * use. Counts the request in the minute of the credential, so that neither keys nor this API can be
 * tried faster than tools are called. Bound by docs/service.md, Users' API, and ADR 0144.
 */

import type { KeyCredential } from '../../access/credential.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { type Admitting, admitCaller, type SentHeader } from '../access/admit-caller.ts'
import { authenticate, KEY_MISSING, USER_DELETED } from '../access/authenticate.ts'
import { countRequest, readCountedProfile } from '../access/count-request.ts'
import type { AccountCaller } from './may-manage.ts'

/** A user who was let in, and the credential that came. */
export type UserCaller = AccountCaller & { readonly credential: KeyCredential }

export type AuthenticateUserNeeds = Admitting['ports'] & Pick<Ports, 'profiles'>

export type UserAdmission = Omit<Admitting, 'ports' | 'settings'> & {
  readonly ports: AuthenticateUserNeeds
  readonly settings: Settings
}

/**
 * `isCall`: the request makes a call, which execute counts. Refuses with `unauthenticated`,
 * `headers_too_large`, `insufficient_scope`, `rate_limited`, `user_disabled`, or `forbidden` an
 * identity without a user. Throws `Fault` if the store or a needed issuer does not answer.
 */
export async function authenticateUser(
  admission: UserAdmission,
  sent: SentHeader,
  isCall: boolean,
): Promise<Result<UserCaller>> {
  const { ports, settings } = admission
  const admitted = await admitCaller(admission, sent)
  if (!admitted.ok) return admitted
  const credential = admitted.value
  const who = await authenticate(ports, credential)
  if (who.kind === 'refused') return err(who.refusal)
  if (who.kind === 'anonymous' || credential.kind !== 'key') return err(KEY_MISSING)
  const { principal } = who
  const profile = await readProfile(ports, settings, { principal, isCall })
  if (!profile.ok) return profile
  if (profile.value === undefined) return err(USER_DELETED)
  return ok({ principal, form: credential.form, profile: profile.value, credential })
}

async function readProfile(
  ports: AuthenticateUserNeeds,
  settings: Settings,
  { isCall, principal }: Pick<UserCaller, 'principal'> & { readonly isCall: boolean },
) {
  if (isCall) return readCountedProfile(ports, principal)
  const counted = await countRequest(ports, settings, principal)
  return counted.ok ? ok(counted.value.profile) : counted
}
