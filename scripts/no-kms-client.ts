/**
 * Replaces `@aws-sdk/client-kms` in bundles. The Encryption SDK names the class while it loads, and makes a client of its
 * own only for a keyring that is given none; ours is given adapters/kms/client.ts.
 */
export class KMS {
  constructor() {
    throw new Error('kms: the client of the AWS SDK is in no bundle')
  }
}
