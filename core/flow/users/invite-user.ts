/**
 * Invites a user to log in without an API key. The answer alone contains the link. Bound by
 * docs/login.md, Invitations, and ADR 0117.
 */
import { hashInvite, INVITE_LIFE_MS, INVITE_PREFIX, INVITE_START } from '../../access/invite.ts'
import { toProof, toSealingKey } from '../../access/key-proof.ts'
import { KEY_BYTES } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { INVITE_PATH } from '../../login/paths.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { putKey } from './manage-keys.ts'
import { LIMIT_FIELDS, readKeyChange } from './read-key-change.ts'

/** `inviteId` is the id of the invitation's key, by which it is limited and revoked. */
export type Invited = {
  readonly inviteId: string
  readonly link: string
  readonly expiresAtMs: number
}

/**
 * Body `{tools?, maxCreditsPerCall?, monthlyBudget?, callsPerDay?}`, as for keys: the limits of the
 * login. Refuses what issuing a key refuses, and with `conflict` a stage without a login. The key is
 * put and limited as any key; if the process dies in between, nobody has its link.
 */
export async function inviteUser(
  ports: Pick<Ports, 'clock' | 'digests' | 'ids' | 'keys' | 'profiles'>,
  { login }: Pick<Settings, 'login'>,
  uid: string,
  body: Json,
): Promise<Result<Invited>> {
  if (login === undefined) {
    return refuse(
      'conflict',
      'login: is off, and an invitation is a link to it. Switch it on (docs/login.md), or issue a key.',
    )
  }
  const read = readKeyChange(body, ports.clock.nowMs(), LIMIT_FIELDS)
  if (!read.ok) return read
  const secret = `${INVITE_START}${ports.ids.token(KEY_BYTES)}`
  const keyHash = hashInvite(ports.digests, secret)
  const proof = toProof(ports.digests, toSealingKey(ports.digests, secret))
  const made = { keyHash, keyPrefix: INVITE_PREFIX, lifeMs: INVITE_LIFE_MS, proof }
  const put = await putKey(ports, uid, made, read.value)
  if (!put.ok) return put
  const link = `${login.issuer}${INVITE_PATH}${secret}`
  return ok({ inviteId: keyHash, link, expiresAtMs: put.value })
}
