/**
 * Reads the secrets of events from Secrets Manager, in the form of the admin secrets: the one that
 * signs events, and URLs of Slack's webhooks.
 */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Clock } from '../../core/ports/outside.ts'
import { fetchSecretText } from './fetch-secret-text.ts'
import { cacheValue } from './kept-value.ts'
import { SECRETS_FRESH_MS, SECRETS_PAUSE_MS, SECRETS_STALE_MS } from './limits.ts'
import { readSecretText } from './secret-text.ts'

/**
 * The result resolves to the values, the current one first. Throws `Fault('store_unavailable')`.
 */
export function makeEventSecretsReader(options: {
  readonly client: SecretsManagerClient
  readonly id: string
  /** Default: a word that signs. A URL has the signs that an admin key may have. */
  readonly holds?: 'url'
  readonly clock: Pick<Clock, 'nowMs'>
  readonly onStale: (cause: unknown) => void
}): () => Promise<readonly string[]> {
  const { client, clock, holds, id, onStale } = options
  const kind = holds === 'url' ? 'admin-key' : 'internal-api-secret'
  const limits = {
    freshMs: SECRETS_FRESH_MS,
    staleMs: SECRETS_STALE_MS,
    pauseMs: SECRETS_PAUSE_MS,
  }
  const fetch = async () => readSecretText({ kind, id }, await fetchSecretText(client, id))
  return cacheValue({ clock, limits, fetch, onStale })
}
