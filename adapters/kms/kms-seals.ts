/**
 * SecretSeals whose data keys are wrapped by one key of KMS. Asks KMS for nothing but
 * GenerateDataKey (seal) and Decrypt (open), each with the context {uid, skillId, name,
 * binding} (permissions.ts). No other key opens anything, whatever a message names.
 */
import type { KMS, KmsKeyringNodeInput } from '@aws-crypto/client-node'
import { Fault } from '../../core/errors.ts'
import type { SecretSeals } from '../../core/ports.ts'
import { kmsClient } from './client.ts'
import { whyOfKms } from './kms-failure.ts'
import { type CauseListener, messageSeals } from './message-seals.ts'

export type KmsClient = Pick<KMS, 'decrypt' | 'generateDataKey'>

type AskedClient = Exclude<ReturnType<NonNullable<KmsKeyringNodeInput['clientProvider']>>, false>

/** `keyId`: the ARN of the key; an alias would open nothing, since messages name the key itself. */
export function kmsSecretSeals(options: {
  readonly keyId: string
  /** AWS's own (or at `AWS_ENDPOINT_URL_KMS`), in the key's region, when absent. */
  readonly client?: KmsClient
}): SecretSeals {
  let { client } = options
  return messageSeals({
    keyring: (sdk, _use, told) =>
      new sdk.KmsKeyringNode({
        generatorKeyId: options.keyId,
        clientProvider: (region) => {
          client ??= kmsClient(sdk, { region })
          return asked(client, told)
        },
      }),
    whyOf: whyOfKms,
  })
}

/** The client, whose errors are told as they are. */
function asked(client: KmsClient, told: CauseListener): AskedClient {
  const telling = async <T>(asking: () => Promise<T>): Promise<T> => {
    try {
      return await asking()
    } catch (cause) {
      told(cause)
      throw cause
    }
  }
  return {
    decrypt: (request) =>
      telling(async () => {
        const { KeyId, Plaintext } = await client.decrypt(request)
        return { KeyId: whole(KeyId), Plaintext: whole(Plaintext) }
      }),
    generateDataKey: (request) =>
      telling(async () => {
        const { CiphertextBlob, KeyId, Plaintext } = await client.generateDataKey(request)
        return {
          CiphertextBlob: whole(CiphertextBlob),
          KeyId: whole(KeyId),
          Plaintext: whole(Plaintext),
        }
      }),
    // For further keys of a message, of which we have none.
    encrypt: () => Promise.reject(new Fault('internal', 'kms: Encrypt is not asked here')),
  }
}

function whole<T>(part: T | undefined): T {
  if (part === undefined) throw new Fault('internal', 'kms: its answer lacks a part')
  return part
}
