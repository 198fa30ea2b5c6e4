/**
 * The port SecretSeals with data keys that one KMS key wraps. It sends KMS only GenerateDataKey
 * (seal) and Decrypt (open), each with the context {uid, skillId, name, binding} (permissions.ts).
 * No other key opens a message, even if the message names it. A Multi-Region key and its replicas
 * count as one key (ADR 0131): each opens what the others sealed. KMS is asked for the key of its
 * own region only, whichever of them the message names.
 */
import type { AwsKmsMrkAwareSymmetricKeyringNodeInput, KMS } from '@aws-crypto/client-node'
import { Fault } from '../../core/errors.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import type { SealFailure } from '../../core/secrets/secret.ts'
import { isThrottleName } from '../aws/signed/throttle-names.ts'
import { makeKmsClient } from './client.ts'
import { type CauseListener, makeMessageSeals } from './message-seals.ts'

export type KmsClient = Pick<KMS, 'decrypt' | 'generateDataKey'>

type KeyringClient = AwsKmsMrkAwareSymmetricKeyringNodeInput['client']

export type SecretsKey = {
  /** The key's ARN; an alias would open nothing, since messages name the key itself. */
  readonly keyId: string
  /** Default: the SDK's client in the key's region, with the credentials of the environment. */
  readonly client?: KmsClient
}

export function makeKmsSecretSeals({ keyId, client: given }: SecretsKey): SecretSeals {
  let client = given
  return makeMessageSeals({
    keyring: (sdk, _use, report) => {
      client ??= makeKmsClient(sdk, { region: readRegion(keyId) })
      const reporting = withReports(client, report)
      return new sdk.AwsKmsMrkAwareSymmetricKeyringNode({ keyId, client: reporting })
    },
    whyOf: classifyKmsError,
  })
}

/** Returns the region of a key's ARN (arn:PARTITION:kms:REGION:…). */
function readRegion(keyId: string): string {
  const [, , , region = ''] = keyId.split(':')
  return region
}

/** Wraps the client so that each of its errors is reported unchanged. */
function withReports(client: KmsClient, report: CauseListener): KeyringClient {
  const reporting = async <T>(send: () => Promise<T>): Promise<T> => {
    try {
      return await send()
    } catch (cause) {
      report(cause)
      throw cause
    }
  }
  return {
    decrypt: (request) =>
      reporting(async () => {
        const { KeyId, Plaintext } = await client.decrypt(request)
        return { KeyId: assertPresent(KeyId), Plaintext: assertPresent(Plaintext) }
      }),
    generateDataKey: (request) =>
      reporting(async () => {
        const { CiphertextBlob, KeyId, Plaintext } = await client.generateDataKey(request)
        return {
          CiphertextBlob: assertPresent(CiphertextBlob),
          KeyId: assertPresent(KeyId),
          Plaintext: assertPresent(Plaintext),
        }
      }),
    // The SDK calls this only for further keys of a message, and messages here have only one.
    encrypt: () =>
      Promise.reject(new Fault('internal', 'kms: Encrypt is not used; a message has one data key')),
  }
}

function assertPresent<T>(part: T | undefined): T {
  if (part === undefined) throw new Fault('internal', 'kms: the answer lacks a field')
  return part
}

/** Errors by which KMS says that bytes and context do not belong together. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  'IncorrectKeyException',
  'InvalidCiphertextException',
])

/** What a KMS error means for a secret, by the error's name and `$fault`. */
function classifyKmsError(cause: unknown): SealFailure['why'] {
  if (!(cause instanceof Error)) return 'unavailable'
  if (FOREIGN_NAMES.has(cause.name)) return 'foreign'
  const isClientError = '$fault' in cause && cause.$fault === 'client'
  // KMS reports a throttle as an error of the client, but it passes by itself.
  return isClientError && !isThrottleName(cause.name) ? 'denied' : 'unavailable'
}
