/**
 * The port SecretSeals with data keys that a 256-bit key of this process wraps, for the twin and
 * for tests. The message format is the same as with KMS. The caller provides the key.
 */
import { createHash } from 'node:crypto'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { makeMessageSeals, type SealUse } from './message-seals.ts'

export const RAW_KEY_BYTES = 32

const NAMESPACE = 'skillgate'

/** If `keyFor` throws, because there is no usable key, the failure is `denied` with that cause. */
export function makeRawSecretSeals(keyFor: (use: SealUse) => Uint8Array): SecretSeals {
  return makeMessageSeals({
    keyring: (sdk, use) => {
      const key = keyFor(use)
      return new sdk.RawAesKeyringNode({
        keyNamespace: NAMESPACE,
        keyName: makeKeyName(key),
        // A copy, since the SDK takes no view of a larger buffer.
        unencryptedMasterKey: new Uint8Array(key),
        wrappingSuite: sdk.RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
        utf8Sorting: true,
      })
    },
    whyOf: () => 'denied',
  })
}

/** A digest that names the key: a value that was sealed under another key is not tried. */
function makeKeyName(key: Uint8Array): string {
  return createHash('sha256').update('skillgate/secret-key/1').update(key).digest('base64url')
}
