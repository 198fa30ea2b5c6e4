/**
 * Makes one call as the canary user, for a schedule. Only handler.ts loads this file, with the first
 * such event, since batches of the stream need none of it.
 */
import {
  type CanaryFailure,
  callCanary,
  parseCanaryKey,
} from '../../adapters/canary/call-canary.ts'
import type { SyntheticCallConfig } from '../../adapters/config/config.ts'
import { makeSecretsClient } from '../../adapters/secrets/client.ts'
import { fetchSecretText } from '../../adapters/secrets/fetch-secret-text.ts'
import { err, type Result } from '../../core/errors.ts'

/** A secret that cannot be read is a failed call, as agents may be hurt by the same cause. */
export async function makeSyntheticCall({
  mcpUrl,
  secretId,
}: SyntheticCallConfig): Promise<Result<void, CanaryFailure>> {
  let text: string | undefined
  try {
    text = await fetchSecretText(makeSecretsClient(), secretId)
  } catch (cause) {
    return err({ reason: 'no-key', cause })
  }
  const key = parseCanaryKey(text)
  return key === undefined ? err({ reason: 'no-key' }) : callCanary(mcpUrl, key)
}
