/**
 * The secret of a warm-up, and its key: KMS is answered from memory, with one data key for everything. Loaded when the
 * function has started, as secrets are.
 */
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { secretsItem } from '../../adapters/dynamodb/records/secret-item.ts'
import { kmsSecretSeals, type SecretsKey } from '../../adapters/kms/kms-seals.ts'
import { GLOBAL } from '../../core/secrets/secret.ts'
import { bindingText } from '../../core/secrets/secret-binding.ts'

const KEY_ID = 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-0000-0000-000000000000'
/** New arrays each time: the keyring overwrites the data key that it was given. */
const dataKey = async () => ({
  KeyId: KEY_ID,
  Plaintext: new Uint8Array(32).fill(7),
  CiphertextBlob: new TextEncoder().encode('a data key'),
  $metadata: {},
})

export const WARM_UP_KEY: SecretsKey = {
  keyId: KEY_ID,
  client: { decrypt: dataKey, generateDataKey: dataKey },
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
