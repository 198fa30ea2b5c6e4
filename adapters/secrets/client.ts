/**
 * The Secrets Manager client: bounded waits and attempts, so that an outage becomes a refusal well
 * before the REST API gives up. Reads no environment of its own; the SDK finds region, credentials
 * and an emulator's `AWS_ENDPOINT_URL` as it always does.
 */
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

/** Secrets Manager answers in some 20 ms; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** Three attempts end long before the 29 s of a REST API. */
export const REQUEST_TIMEOUT_MS = 2_000
/** One attempt and two retries, with the SDK's own backoff. */
export const ATTEMPTS_MAX = 3

export function secretsClient(
  options: { readonly requestTimeoutMs?: number } = {},
): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: ATTEMPTS_MAX,
    // Without throwOnRequestTimeout the SDK only warns.
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
}
