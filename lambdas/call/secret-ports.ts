/**
 * Ports of secrets on AWS. This file is a chunk of its own in the bundle, loaded with the first
 * call whose skill names a secret.
 */

import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/users/secrets.ts'
import { dynamoSharedSecrets } from '../../adapters/dynamodb/users/shared-secrets.ts'
import { makeKmsSecretSeals, type SecretsKey } from '../../adapters/kms/kms-seals.ts'
import type { SecretStore } from '../../core/ports/secrets.ts'

export function createSecretPorts(store: DynamoStore, key: SecretsKey) {
  const secrets: SecretStore = dynamoSecrets(store)
  return {
    secretSeals: makeKmsSecretSeals(key),
    secrets,
    sharedSecrets: dynamoSharedSecrets(store),
  }
}
