/**
 * Reads the two admin secrets from Secrets Manager, together, and caches them for a minute. An
 * operator writes and rotates them (secret-text.ts has the format). Bound by docs/service.md, Admin
 * credentials.
 */
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { Fault } from '../../core/errors.ts'
import type { AdminSecrets, Clock } from '../../core/ports/outside.ts'
import { cacheValue } from './kept-value.ts'
import { type AdminSecretName, readSecretText } from './secret-text.ts'

/**
 * A leaked secret stops working a minute after it is replaced. A busy process sends 2,880 requests
 * a day, for 1.5 cents.
 */
export const SECRETS_FRESH_MS = 60_000
/** Old values are used for this time of an outage; after it every administrator is refused. */
export const SECRETS_STALE_MS = 300_000
/** Pause between attempts during an outage: each may take 6 s, too long for every request. */
export const SECRETS_PAUSE_MS = 10_000

export function makeAdminSecrets(options: {
  readonly client: SecretsManagerClient
  /** Names or ARNs. */
  readonly ids: { readonly internalApiSecret: string; readonly adminKey: string }
  readonly clock: Pick<Clock, 'nowMs'>
  /** Reports a failed fetch while older values are still used. */
  readonly onStale: (cause: unknown) => void
}): AdminSecrets {
  const { client, ids, clock, onStale } = options
  const fetchBoth = async () => {
    const [internalApiSecrets, adminKeys] = await Promise.all([
      fetchOne(client, { kind: 'internal-api-secret', id: ids.internalApiSecret }),
      fetchOne(client, { kind: 'admin-key', id: ids.adminKey }),
    ])
    return { internalApiSecrets, adminKeys }
  }
  const limits = {
    freshMs: SECRETS_FRESH_MS,
    staleMs: SECRETS_STALE_MS,
    pauseMs: SECRETS_PAUSE_MS,
  }
  return { read: cacheValue({ clock, limits, fetch: fetchBoth, onStale }) }
}

async function fetchOne(
  client: SecretsManagerClient,
  of: AdminSecretName,
): Promise<readonly string[]> {
  return readSecretText(of, await fetchText(client, of.id))
}

async function fetchText(client: SecretsManagerClient, id: string): Promise<string | undefined> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: id }))
    return answer.SecretString
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : 'unknown'
    throw new Fault('store_unavailable', `secret ${id}: could not be fetched (${name})`, cause)
  }
}
