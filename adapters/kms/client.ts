/**
 * The AWS SDK's KMS client with bounded waits and attempts: a key service that hangs becomes a
 * failure within seconds and never uses up the 15 s of a call.
 */
import type { KMS } from '@aws-crypto/client-node'
import type { EncryptionSdk } from './encryption-sdk.ts'

/** KMS answers in about 10 ms; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** All attempts and the pauses between them stay far below the 15 s of a call. */
export const REQUEST_TIMEOUT_MS = 2_000
/** One attempt and two retries, with the SDK's own pauses. */
export const ATTEMPTS_MAX = 3

export type KmsClientOptions = {
  readonly region: string
  readonly requestTimeoutMs?: number
}

/**
 * Uses the Encryption SDK's own KMS client class, so that a bundle contains only one. The client
 * finds endpoint and credentials as all clients of the SDK do.
 */
export function makeKmsClient(
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
