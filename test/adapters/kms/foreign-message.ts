/** Messages of the Encryption SDK that this gateway would not make. */
import {
  AlgorithmSuiteIdentifier,
  buildClient,
  CommitmentPolicy,
  KmsKeyringNode,
} from '@aws-crypto/client-node'
import { KEY_ID, type KmsDouble } from './kms-double.ts'

const SUITES = {
  committing: AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY,
  signing: AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY_ECDSA_P384,
  neither: AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16,
}

export type ForeignSuite = keyof typeof SUITES

/** A message of another holder of the key. A context of undefined is left out. */
export async function foreignMessage(
  kms: KmsDouble,
  context: { readonly [key: string]: string | undefined },
  suite: ForeignSuite,
): Promise<Uint8Array> {
  const keyring = new KmsKeyringNode({
    generatorKeyId: KEY_ID,
    // The SDK's types know no undefined in answers.
    clientProvider: () => Object.assign(kms.client),
  })
  const { encrypt } = buildClient(
    suite === 'neither'
      ? CommitmentPolicy.FORBID_ENCRYPT_ALLOW_DECRYPT
      : CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
  )
  const encryptionContext = Object.fromEntries(
    Object.entries(context).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
  const options = { suiteId: SUITES[suite], encryptionContext }
  const { result } = await encrypt(keyring, 'a value of somebody else', options)
  return new Uint8Array(result)
}
