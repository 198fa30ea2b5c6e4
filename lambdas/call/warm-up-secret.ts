/**
 * The secret of a warm-up call, and its key. The requests of the SDK's KMS client are answered from
 * memory, with one data key for everything. Loaded after the function has started, as secrets are.
 */
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { toSecretsItem } from '../../adapters/dynamodb/records/secret-item.ts'
import { makeKmsClient } from '../../adapters/kms/client.ts'
import { loadEncryptionSdk } from '../../adapters/kms/encryption-sdk.ts'
import { makeKmsSecretSeals, type SecretsKey } from '../../adapters/kms/kms-seals.ts'
import { GLOBAL_SKILL_ID } from '../../core/secrets/secret.ts'
import { writeBinding } from '../../core/secrets/secret-binding.ts'

const KEY_ID = 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-0000-0000-000000000000'
const KMS_ANSWER = JSON.stringify({
  KeyId: KEY_ID,
  Plaintext: Buffer.alloc(32, 7).toString('base64'),
  CiphertextBlob: Buffer.from('a data key').toString('base64'),
})

/** Returns a key whose client never leaves the process. */
export async function openWarmUpKey(): Promise<SecretsKey> {
  const client = makeKmsClient(await loadEncryptionSdk(), { region: 'us-east-1' })
  client.config.requestHandler = {
    ...client.config.requestHandler,
    handle: async () => ({
      response: { statusCode: 200, headers: {}, body: Buffer.from(KMS_ANSWER) },
    }),
  }
  client.config.credentials = async () => ({ accessKeyId: 'warm-up', secretAccessKey: 'warm-up' })
  return { keyId: KEY_ID, client }
}

/** The binding of a secret that all skills of the user may use and send anywhere. */
const OPEN_BINDING = writeBinding({ tier: undefined, origins: [], marketSkills: [] })

export type WarmUpSecret = {
  readonly key: SecretsKey
  readonly uid: string
  readonly name: string
  readonly nowMs: number
}

/** Returns the record of the secret. Throws an Error if the secret cannot be sealed. */
export async function sealWarmUpSecret({ key, name, nowMs, uid }: WarmUpSecret): Promise<Item> {
  const context = { uid, skillId: GLOBAL_SKILL_ID, name, binding: OPEN_BINDING }
  const sealed = await makeKmsSecretSeals(key).seal(context, 'warm-up')
  if (!sealed.ok) throw new Error('the secret of a warm-up was not sealed', { cause: sealed.error })
  const place = { uid, skillId: undefined, name }
  return toSecretsItem({
    ...place,
    sealed: sealed.value,
    binding: OPEN_BINDING,
    updatedAtMs: nowMs,
  })
}
