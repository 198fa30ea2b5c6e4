/**
 * Reads the two admin secrets from Secrets Manager, together, and caches them for a minute. An
 * operator writes and rotates them (secret-text.ts has the format). Bound by docs/service.md, Admin
 * credentials.
 */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { AdminSecrets, Clock } from '../../core/ports/outside.ts'
import { fetchSecretText } from './fetch-secret-text.ts'
import { cacheValue } from './kept-value.ts'
import { SECRETS_FRESH_MS, SECRETS_PAUSE_MS, SECRETS_STALE_MS } from './limits.ts'
import { type AdminSecretName, readSecretText } from './secret-text.ts'

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
  return readSecretText(of, await fetchSecretText(client, of.id))
}
