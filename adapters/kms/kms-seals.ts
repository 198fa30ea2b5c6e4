/**
 * SecretSeals whose data keys are wrapped by one key of KMS. Sends KMS only GenerateDataKey (seal)
 * and Decrypt (open), each with the context {uid, skillId, name, binding} (permissions.ts). No other
 * key opens anything, whatever key a message names.
 */
import type { KMS, KmsKeyringNodeInput } from '@aws-crypto/client-node'
import { Fault } from '../../core/errors.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { kmsClient } from './client.ts'
import { whyOfKms } from './kms-failure.ts'
import { type CauseListener, messageSeals } from './message-seals.ts'

export type KmsClient = Pick<KMS, 'decrypt' | 'generateDataKey'>

type KeyringClient = Exclude<ReturnType<NonNullable<KmsKeyringNodeInput['clientProvider']>>, false>

export type SecretsKey = {
  /** Its ARN; an alias would open nothing, since messages name the key itself. */
  readonly keyId: string
  /** By default the SDK's client in the key's region, with the credentials of the environment. */
  readonly client?: KmsClient
}

export function kmsSecretSeals({ keyId, client: given }: SecretsKey): SecretSeals {
  let client = given
  return messageSeals({
    keyring: (sdk, _use, report) =>
      new sdk.KmsKeyringNode({
        generatorKeyId: keyId,
        clientProvider: (region) => {
          client ??= kmsClient(sdk, { region })
          return reportingClient(client, report)
        },
      }),
    whyOf: whyOfKms,
  })
}

/** The client, with each of its errors reported unchanged. */
function reportingClient(client: KmsClient, report: CauseListener): KeyringClient {
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
        return { KeyId: whole(KeyId), Plaintext: whole(Plaintext) }
      }),
    generateDataKey: (request) =>
      reporting(async () => {
        const { CiphertextBlob, KeyId, Plaintext } = await client.generateDataKey(request)
        return {
          CiphertextBlob: whole(CiphertextBlob),
          KeyId: whole(KeyId),
          Plaintext: whole(Plaintext),
        }
      }),
    // The SDK would encrypt for further keys of a message, and our messages have only one.
    encrypt: () =>
      Promise.reject(new Fault('internal', 'kms: Encrypt is not used; a message has one data key')),
  }
}

function whole<T>(part: T | undefined): T {
  if (part === undefined) throw new Fault('internal', 'kms: the answer lacks a field')
  return part
}
