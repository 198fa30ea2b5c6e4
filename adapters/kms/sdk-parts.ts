/**
 * The parts of the AWS Encryption SDK that are used, with its KMS client, so that a bundle has only
 * one. Only encryption-sdk.ts may import this file, because the import loads the whole SDK. In a
 * bundle it is a separate file (scripts/bundle.ts).
 */
import {
  AlgorithmSuiteIdentifier,
  AwsKmsMrkAwareSymmetricKeyringNode,
  buildClient,
  CommitmentPolicy,
  getLocalCryptographicMaterialsCache,
  KMS,
  NodeCachingMaterialsManager,
  RawAesKeyringNode,
  RawAesWrappingSuiteIdentifier,
} from '@aws-crypto/client-node'

export const SDK = {
  AlgorithmSuiteIdentifier,
  AwsKmsMrkAwareSymmetricKeyringNode,
  buildClient,
  CommitmentPolicy,
  getLocalCryptographicMaterialsCache,
  KMS,
  NodeCachingMaterialsManager,
  RawAesKeyringNode,
  RawAesWrappingSuiteIdentifier,
} as const
