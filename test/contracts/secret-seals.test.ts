/**
 * Both kinds of seals keep the contract: under a raw key, and under KMS as `aws-sdk-client-mock`
 * answers for it; test/localstack runs it over the KMS of emulators.
 */
import { randomBytes } from 'node:crypto'
import { makeKmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { makeRawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import { KEY_ID, kmsDouble, OTHER_KEY_ID } from '../adapters/kms/kms-double.ts'
import { describeSecretSeals } from './secret-seals-contract.ts'

describeSecretSeals('raw key', async () => {
  const [key, other] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]
  return { seals: makeRawSecretSeals(() => key), elsewhere: makeRawSecretSeals(() => other) }
})

describeSecretSeals('KMS', async () => {
  const { client } = kmsDouble()
  return {
    seals: makeKmsSecretSeals({ keyId: KEY_ID, client }),
    elsewhere: makeKmsSecretSeals({ keyId: OTHER_KEY_ID, client }),
  }
})
