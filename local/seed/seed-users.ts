/**
 * Creates demo users with credits and keys, by the administrator's own flows. Each step can be
 * repeated: a second start changes nothing, and the next start completes one that died half way.
 */
import { KEY_TTL_MS } from '../../core/access/api-key.ts'
import { toMinute } from '../../core/access/minute.ts'
import type { Result } from '../../core/errors.ts'
import { addNewNameWarning } from '../../core/flow/users/claim-username.ts'
import { grantCredits } from '../../core/flow/users/grant-credits.ts'
import { issueKey } from '../../core/flow/users/manage-keys.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import type { Ports } from '../../core/ports/ports.ts'

type Needs = Pick<
  Ports,
  'clock' | 'digests' | 'ids' | 'keys' | 'ledger' | 'profiles' | 'userDirectory' | 'usernames'
>

export type DemoUser = {
  /** The user id, which is also the username. */
  readonly uid: string
  readonly key: string
  /** Credits that are granted once, on the first start. */
  readonly credits: number
}

export const DEMO_USER = { uid: 'demo', credits: 100 } as const
/** A second user for scripts that need two; created with --json only. */
export const SECOND_USER = { uid: 'demo2', credits: 50 } as const

/**
 * Ensures that the user, the first credits and a working key exist. Returns the credits that are
 * left.
 */
export async function seedUser(ports: Needs, user: DemoUser): Promise<number> {
  const { uid, credits } = user
  const created = await createUser(ports, { username: uid, uid })
  if (!created.ok && created.error.code !== 'conflict') throw toBug(created)
  await addNewNameWarning(ports, created)
  const grant = await grantCredits(ports, uid, { grantId: 'welcome', amount: credits })
  if (!grant.ok) throw toBug(grant)
  await seedKey(ports, user)
  return grant.value.user.credits
}

async function seedKey(ports: Needs, { uid, key }: DemoUser): Promise<void> {
  const record = await ports.keys.find(ports.digests.sha256(key))
  const nowMs = ports.clock.nowMs()
  if (record === undefined) {
    // The flow makes random keys; this key exists already, in a file beside the store.
    const issued = await issueKey({ ...ports, ids: { token: () => key.replace('sgk_', '') } }, uid)
    if (!issued.ok) throw toBug(issued)
    return
  }
  if (record.expiresAtMs > nowMs) return
  // A twin that was off for a month must still accept the key in the agents' configuration.
  await ports.keys.renew({
    keyHash: record.keyHash,
    expiresAtMs: nowMs + KEY_TTL_MS,
    renewedAtMs: nowMs,
    ifRenewedAtMs: record.renewedAtMs,
  })
}

/**
 * Sets the sweep's cursor in a new store, which has no old holds; otherwise the first sweep would
 * search a day back.
 */
export async function seedSweep(ports: Pick<Ports, 'clock' | 'sweepEntries'>): Promise<void> {
  const cursor = await ports.sweepEntries.readCursor()
  if (cursor === undefined) {
    await ports.sweepEntries.writeCursor({ minute: toMinute(ports.clock.nowMs()) - 1, after: '' })
  }
}

/** A refusal of the twin's own data is a bug, not an operating fault. */
function toBug(result: Extract<Result<unknown>, { ok: false }>): Error {
  return new Error(`The twin's own data was refused: ${result.error.detail}`)
}
