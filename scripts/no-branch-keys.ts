/**
 * Replaces `@aws-crypto/branch-keystore-node` in bundles. Only keyrings over a table of branch keys
 * need it, and we have none; the Encryption SDK calls this one function while it loads.
 */
export function isIBranchKeyStoreNode(): false {
  return false
}
