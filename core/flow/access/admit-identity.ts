/**
 * Finds the user whom a verified token names. A subject without a record is handed to `provision`,
 * which mcp and admin have: they may link identities and make the login secret. Bound by
 * docs/issuers/README.md and ADRs 0115 and 0144.
 */
import type { Credential, KeyCredential } from '../../access/credential.ts'
import {
  isSubject,
  type ProvisionIdentity,
  refuseUnlinked,
  SUBJECT_RULE,
  toIdentityId,
  toIdentitySealingKey,
} from '../../access/identity.ts'
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { VerifiedToken } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'

type Needs = Pick<Ports, 'digests' | 'keys'> & {
  readonly logins: Pick<Ports['logins'], 'readSecret'>
  /** Absent in functions that may not link identities. */
  readonly provision?: ProvisionIdentity
  /** Makes the login secret; absent in functions that may only read it. */
  readonly makeSecret?: () => Promise<string>
}

/** Linked identities can come to another door before anything was written by mcp. */
const NO_SECRET: Refusal = {
  code: 'forbidden',
  detail:
    'Authorization: your login is valid, but this gateway has not served any login at /mcp yet. Connect to /mcp once, for example to list the tools, then send this request again.',
}

/**
 * Returns the credential of the identity: the same for all tokens of a subject. Refuses with
 * `forbidden` and names the identity, so that an administrator can link it. Throws `Fault` if the
 * store does not answer.
 */
export async function admitIdentity(
  { digests, keys, logins, makeSecret, provision }: Needs,
  token: VerifiedToken,
): Promise<Result<KeyCredential>> {
  const { issuer, subject } = token
  if (!isSubject(subject)) {
    return refuse('forbidden', `Authorization: the subject of the token ${SUBJECT_RULE}.`)
  }
  const id = toIdentityId(digests, { issuer: issuer.issuer, subject })
  if ((await keys.find(id)) === undefined) {
    const refusal =
      provision === undefined ? refuseElsewhere(token, id) : await provision(token, id)
    if (refusal !== undefined) return err(refusal)
  }
  const secret = makeSecret === undefined ? await logins.readSecret() : await makeSecret()
  if (secret === undefined) return err(NO_SECRET)
  const sealingKey = toIdentitySealingKey(digests, secret, id)
  return ok({ kind: 'key', id, sealingKey, form: 'identity', keyStart: undefined })
}

/**
 * Refuses the credential of an identity that another function sent without having verified a token,
 * because the id stands in the store. Throws `Fault` if the store does not answer.
 */
export async function proveIdentity(
  { digests, logins }: Pick<Needs, 'digests' | 'logins'>,
  sent: KeyCredential,
): Promise<Credential> {
  const secret = await logins.readSecret()
  const isOwn =
    secret !== undefined &&
    digests.equal(sent.sealingKey, toIdentitySealingKey(digests, secret, sent.id))
  return isOwn ? sent : { kind: 'refused', refusal: UNPROVEN, keyStart: undefined }
}

const UNPROVEN = {
  code: 'unauthenticated',
  detail: 'Authorization: this login was not verified by the gateway. Log in again.',
} as const

function refuseElsewhere({ issuer }: VerifiedToken, id: string) {
  if (issuer.provision === 'off') return refuseUnlinked(id)
  return refuseUnlinked(id, 'a first request to /mcp, such as tools/list, can give it one')
}
