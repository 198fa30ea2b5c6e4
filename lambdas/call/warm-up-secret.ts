/**
 * The secret of a warm-up, and its key: KMS is answered from memory, with one data key for everything. Loaded when the
 * function has started, as secrets are.
 */
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { secretsItem } from '../../adapters/dynamodb/records/secret-item.ts'
import { kmsClient } from '../../adapters/kms/client.ts'
import { kmsSecretSeals, type SecretsKey } from '../../adapters/kms/kms-seals.ts'
import { GLOBAL } from '../../core/secrets/secret.ts'
import { bindingText } from '../../core/secrets/secret-binding.ts'

const KEY_ID = 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-0000-0000-000000000000'
const ANSWER = JSON.stringify({
  KeyId: KEY_ID,
  Plaintext: Buffer.alloc(32, 7).toString('base64'),
  CiphertextBlob: Buffer.from('a data key').toString('base64'),
})

export const WARM_UP_KEY: SecretsKey = {
  keyId: KEY_ID,
  client: kmsClient({
    endpoint: new URL('https://warm-up.invalid'),
    region: 'us-east-1',
    credentials: () => ({ accessKeyId: 'warm-up', secretAccessKey: 'warm-up' }),
    exchange: {
      send: async () => ({ status: 200, headers: {}, body: Buffer.from(ANSWER) }),
      close: () => {},
    },
  }),
}

/** Of all skills of the user, wherever they send it. */
const BINDING = bindingText({ tier: undefined, origins: [], marketSkills: [] })

/** Its record. */
export async function warmUpSecret(uid: string, name: string, nowMs: number): Promise<Item> {
  const context = { uid, skillId: GLOBAL, name, binding: BINDING }
  const sealed = await kmsSecretSeals(WARM_UP_KEY).seal(context, 'warm-up')
  if (!sealed.ok) throw new Error('the secret of a warm-up was not sealed', { cause: sealed.error })
  const place = { uid, skillId: undefined, name }
  return secretsItem({ ...place, sealed: sealed.value, binding: BINDING, updatedAtMs: nowMs })
}
