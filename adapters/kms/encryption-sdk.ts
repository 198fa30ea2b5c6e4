/**
 * The AWS Encryption SDK, which the first secret that is sealed or opened loads: calls of skills
 * without secrets do not. The suite is AES-256-GCM with HKDF and key commitment. There is no
 * signature, because the policy of the KMS key decides who may seal.
 */
import type { KeyringNode, NodeMaterialsManager } from '@aws-crypto/client-node'
import type { SDK } from './sdk-parts.ts'

export type EncryptionSdk = typeof SDK
export type { KeyringNode, NodeMaterialsManager }

let loading: Promise<EncryptionSdk> | undefined

/** One import per process, shared by all callers. */
export function loadEncryptionSdk(): Promise<EncryptionSdk> {
  loading ??= import('./sdk-parts.ts').then((parts) => parts.SDK)
  return loading
}

/** Each message contains one wrapped data key; a message with more is foreign. */
const DATA_KEYS_IN_MESSAGE = 1

export type MessageClient = Pick<ReturnType<EncryptionSdk['buildClient']>, 'decrypt' | 'encrypt'>

export function makeMessageClient({ buildClient, CommitmentPolicy }: EncryptionSdk): MessageClient {
  return buildClient({
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: DATA_KEYS_IN_MESSAGE,
  })
}

export function findSuite({ AlgorithmSuiteIdentifier }: EncryptionSdk) {
  return AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY
}
