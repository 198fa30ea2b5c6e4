/** The key of a warm-up's secret: KMS from memory, with one data key for everything. */
import type { KmsClient, SecretsKey } from '../../adapters/kms/kms-seals.ts'

const KEY_ID = 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-0000-0000-000000000000'
const WRAPPED = Buffer.from('a data key')

/** A copy each time: the Encryption SDK wipes what it has used. */
const dataKey = () => new Uint8Array(32).fill(7)

export const WARM_UP_KEY: SecretsKey = {
  keyId: KEY_ID,
  client: {
    generateDataKey: async () => ({ KeyId: KEY_ID, Plaintext: dataKey(), CiphertextBlob: WRAPPED }),
    decrypt: async () => ({ KeyId: KEY_ID, Plaintext: dataKey() }),
  } as unknown as KmsClient,
}
