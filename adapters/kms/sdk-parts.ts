/**
 * What is used of the AWS Encryption SDK, and its own KMS client, so that there is one. Imported by
 * encryption-sdk.ts and nobody else: whoever imports this has loaded it all. Deployed as a file of its
 * own beside each door that needs it (scripts/bundle.ts).
 */
import {
  AlgorithmSuiteIdentifier,
  buildClient,
  CommitmentPolicy,
  getLocalCryptographicMaterialsCache,
  KMS,
  KmsKeyringNode,
  NodeCachingMaterialsManager,
  RawAesKeyringNode,
  RawAesWrappingSuiteIdentifier,
} from '@aws-crypto/client-node'

export const SDK = {
  AlgorithmSuiteIdentifier,
  buildClient,
  CommitmentPolicy,
  getLocalCryptographicMaterialsCache,
  KMS,
  KmsKeyringNode,
  NodeCachingMaterialsManager,
  RawAesKeyringNode,
  RawAesWrappingSuiteIdentifier,
} as const
