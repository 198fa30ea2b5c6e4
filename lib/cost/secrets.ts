/**
 * Computes the extra use of a call whose skill names a secret of its user: the records of the
 * secret, the key service if the environment has no data key for it, and the time of both. Each
 * user has one secret, for all skills.
 */
import type { Meetings } from './environments.ts'

/**
 * Read units of the records: the user's own and the gateway's, for the skill and for all skills;
 * test/core/flow/execute/call-costs.test.ts checks it.
 */
export const SECRET_READ_UNITS = 4
/** CPU time of opening a message of the Encryption SDK, and of the code around it (ADR 0103). */
export const SECRET_CPU_MS = 0.5
/** CPU time of a request of the light client, signed and read (docs/design/store.md#two-clients-of-dynamodb). */
export const REQUEST_CPU_MS = 0.25
/** CPU time of a request to KMS by the client of the AWS SDK, measured over loopback (ADR 0103). */
export const KEY_REQUEST_CPU_MS = 0.6

/**
 * How long an environment caches, and how much: adapters/kms/message-seals.ts,
 * core/secrets/limits.ts; a test compares them.
 */
export const SECRET_MEMORY = {
  recordsMs: 30_000,
  recordsMax: 256,
  dataKeysMs: 300_000,
  dataKeysMax: 500,
} as const

export type SecretUse = {
  readonly readUnits: number
  readonly keyRequests: number
  readonly cpuMs: number
}

/**
 * Returns the extra use of an average call, if `share` of all calls name a secret. The records are
 * read while the hold is written.
 */
export function computeSecretUse(
  share: number,
  { unknownDataKeys, unknownSecrets }: Pick<Meetings, 'unknownDataKeys' | 'unknownSecrets'>,
): SecretUse {
  const requestsMs = unknownSecrets * REQUEST_CPU_MS + unknownDataKeys * KEY_REQUEST_CPU_MS
  return {
    readUnits: share * unknownSecrets * SECRET_READ_UNITS,
    keyRequests: share * unknownDataKeys,
    cpuMs: share * (SECRET_CPU_MS + requestsMs),
  }
}
