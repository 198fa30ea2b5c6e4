/**
 * Both kinds of seals keep the contract: under a raw key, and under KMS as `aws-sdk-client-mock`
 * answers for it; and under a real one where KMS_ENDPOINT says where it is.
 */
import { randomBytes } from 'node:crypto'
import { KMS } from '@aws-sdk/client-kms'
import { kmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { rawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import { KEY_ID, kmsDouble, OTHER_KEY_ID } from '../adapters/kms/kms-double.ts'
import { describeSecretSeals } from './secret-seals-contract.ts'

describeSecretSeals('raw key', async () => {
  const [key, other] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]
  return { seals: rawSecretSeals(() => key), elsewhere: rawSecretSeals(() => other) }
})

describeSecretSeals('KMS', async () => {
  const { client } = kmsDouble()
  return {
    seals: kmsSecretSeals({ keyId: KEY_ID, client }),
    elsewhere: kmsSecretSeals({ keyId: OTHER_KEY_ID, client }),
  }
})

const endpoint = process.env['KMS_ENDPOINT']

if (endpoint !== undefined) {
  describeSecretSeals('KMS at KMS_ENDPOINT', async () => {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
    const client = new KMS({ endpoint, region: 'us-east-1', credentials })
    const newKey = async () => {
      const { KeyMetadata } = await client.createKey({ Description: 'secret-seals contract' })
      return KeyMetadata?.Arn ?? ''
    }
    return {
      seals: kmsSecretSeals({ keyId: await newKey(), client }),
      elsewhere: kmsSecretSeals({ keyId: await newKey(), client }),
    }
  })
}
