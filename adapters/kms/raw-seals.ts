/**
 * SecretSeals whose data keys are wrapped by 256 bits that this process holds: for the twin and for
 * tests, in the same message format as with KMS. The caller provides the key.
 */
import { createHash } from 'node:crypto'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { messageSeals, type SealUse } from './message-seals.ts'

export const RAW_KEY_BYTES = 32

const NAMESPACE = 'skillgate'

/**
 * `keyFor` throws when no usable key exists: the failure is then `denied`, with the throw as its
 * cause.
 */
export function rawSecretSeals(keyFor: (use: SealUse) => Uint8Array): SecretSeals {
  return messageSeals({
    keyring: (sdk, use) => {
      const key = keyFor(use)
      return new sdk.RawAesKeyringNode({
        keyNamespace: NAMESPACE,
        keyName: nameOf(key),
        // A copy, since the SDK takes no view of a larger buffer.
        unencryptedMasterKey: new Uint8Array(key),
        wrappingSuite: sdk.RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
        utf8Sorting: true,
      })
    },
    whyOf: () => 'denied',
  })
}

/**
 * Distinguishes keys without revealing them: a value sealed under another key is not even tried.
 */
function nameOf(key: Uint8Array): string {
  return createHash('sha256').update('skillgate/secret-key/1').update(key).digest('base64url')
}
