/**
 * Keys that users make and revoke themselves. A new key is never wider than the credential that
 * makes it: only a credential without limits comes here (core/flow/account/may-manage.ts). Bound by
 * docs/service.md, Users' API, and ADR 0144.
 *
 *   A makes a key:   authenticated ── key put ── keys listed: A's key is there, and few enough ── answer
 *   owner revokes A:        └── A removed, then keys listed
 *
 * If A's key was removed before A lists, A revokes what it made and is refused. Otherwise the new key
 * was put before the owner lists, so the owner sees it and can revoke it. If several keys are made at
 * once near the limit, each lists all that were put before: the limit is never exceeded, and all of
 * them may be refused although one had room.
 */
import { OWN_KEYS_MAX } from '../../access/limits.ts'
import type { KeyRecord, Principal } from '../../access/principal.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import { issueKey, revokeKey } from '../users/manage-keys.ts'

type IssueNeeds = Parameters<typeof issueKey>[0]

/**
 * Refuses with `conflict` a user with OWN_KEYS_MAX keys, with `unauthenticated` a caller whose key was
 * revoked meanwhile, and as `issueKey` does.
 */
export async function issueOwnKey(
  ports: IssueNeeds,
  { keyHash, uid }: Pick<Principal, 'keyHash' | 'uid'>,
  body: Json,
): Promise<ReturnType<typeof issueKey>> {
  const made = await issueKey(ports, uid, body)
  if (!made.ok) return made
  const { keyId } = made.value
  let judged: Result<undefined> | undefined
  try {
    judged = judgeKeys(await listValidKeys(ports, uid), keyHash)
  } finally {
    if (judged?.ok !== true) await ports.keys.revoke({ uid, keyHash: keyId })
  }
  return judged.ok ? made : judged
}

function judgeKeys(keys: readonly KeyRecord[], ownHash: string): Result<undefined> {
  if (keys.every(({ keyHash }) => keyHash !== ownHash)) {
    return refuse(
      'unauthenticated',
      'Authorization: the key that sent this was revoked meanwhile, so no key was made.',
    )
  }
  if (keys.length <= OWN_KEYS_MAX) return ok(undefined)
  return refuse(
    'conflict',
    `You have ${OWN_KEYS_MAX} keys, the most that users can have of their own. Revoke one first.`,
  )
}

async function listValidKeys(
  { clock, keys }: Pick<Ports, 'clock' | 'keys'>,
  uid: string,
): Promise<readonly KeyRecord[]> {
  const nowMs = clock.nowMs()
  return (await keys.list(uid)).filter(({ expiresAtMs }) => expiresAtMs > nowMs)
}

export type OwnRevocation = { readonly keysLeft: number; readonly warning?: string }

/** Revokes a key, also the last one and that of the caller. Refuses as `revokeKey` does. */
export async function revokeOwnKey(
  ports: Pick<Ports, 'clock' | 'keys'>,
  { keyHash, uid }: Pick<Principal, 'keyHash' | 'uid'>,
  keyId: string,
): Promise<Result<OwnRevocation>> {
  const revoked = await revokeKey(ports, { uid, keyId })
  if (!revoked.ok) return revoked
  const left = await listValidKeys(ports, uid)
  const warning = left.length === 0 ? LAST_REVOKED : keyId === keyHash ? OWN_REVOKED : undefined
  return ok({ keysLeft: left.length, ...(warning === undefined ? {} : { warning }) })
}

const LAST_REVOKED =
  'This was your last key. Nothing calls tools or opens your account with it any more; an administrator can issue a new key.'
const OWN_REVOKED = 'This was the key that you sent. Use another one from now on.'
