/**
 * The Secrets Manager client with bounded waits and attempts: an outage becomes a refusal before
 * the REST API times out. The SDK itself finds region, credentials and an emulator's
 * `AWS_ENDPOINT_URL`.
 */
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

/** Secrets Manager answers in about 20 ms; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** Three attempts end long before the 29 s of a REST API. */
export const REQUEST_TIMEOUT_MS = 2_000
/** One attempt and two retries, with the SDK's own pauses. */
export const ATTEMPTS_MAX = 3

export function makeSecretsClient(
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
