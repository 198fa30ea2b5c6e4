/**
 * The KMS client of the AWS SDK with bounded waits and attempts, so that a key service that hangs becomes a failure
 * within seconds and never uses up a call's 15 s guard.
 */
import type { KMS } from '@aws-crypto/client-node'
import type { EncryptionSdk } from './encryption-sdk.ts'

/** KMS answers in some 10 ms; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** All attempts and the pauses between them stay well under the guard. */
export const REQUEST_TIMEOUT_MS = 2_000
/** One attempt and two retries, with the SDK's own backoff. */
export const ATTEMPTS_MAX = 3

export type KmsClientOptions = {
  readonly region: string
  readonly requestTimeoutMs?: number
}

/**
 * Takes the Encryption SDK's own KMS client, so that a bundle contains only one. It finds endpoint and credentials as all
 * clients of the SDK do.
 */
export function kmsClient(
  { KMS }: Pick<EncryptionSdk, 'KMS'>,
  { region, requestTimeoutMs = REQUEST_TIMEOUT_MS }: KmsClientOptions,
): KMS {
  return new KMS({
    maxAttempts: ATTEMPTS_MAX,
    region,
    // Without throwOnRequestTimeout the SDK only warns.
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
}
