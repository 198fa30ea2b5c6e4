/**
 * The parts of the AWS Encryption SDK in use, and its own KMS client, so that there is only one.
 * Only encryption-sdk.ts may import this file: importing it loads the whole SDK. Deployed as a file
 * of its own beside each door that needs it (scripts/bundle.ts).
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
