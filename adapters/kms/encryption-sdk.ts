/**
 * The AWS Encryption SDK, imported when the first secret is sealed or opened and not before: calls
 * of skills without secrets do not load it. Any keyring, one suite: AES-256-GCM with HKDF and key
 * commitment, without a signature, since the key's policy and not the message says who may seal.
 */
import type { KeyringNode, NodeMaterialsManager } from '@aws-crypto/client-node'
import type { SDK } from './sdk-parts.ts'

export type EncryptionSdk = typeof SDK
export type { KeyringNode, NodeMaterialsManager }

let loading: Promise<EncryptionSdk> | undefined

/** One import per process, shared by all callers. */
export function encryptionSdk(): Promise<EncryptionSdk> {
  loading ??= import('./sdk-parts.ts').then((parts) => parts.SDK)
  return loading
}

/** Each message carries one wrapped data key; a message with more is not ours. */
const DATA_KEYS_IN_MESSAGE = 1

export type MessageClient = Pick<ReturnType<EncryptionSdk['buildClient']>, 'decrypt' | 'encrypt'>

export function messageClient({ buildClient, CommitmentPolicy }: EncryptionSdk): MessageClient {
  return buildClient({
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: DATA_KEYS_IN_MESSAGE,
  })
}

export function suiteOf({ AlgorithmSuiteIdentifier }: EncryptionSdk) {
  return AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY
}
