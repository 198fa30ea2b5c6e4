/**
 * Stands in bundles for `@aws-crypto/branch-keystore-node`, which only keyrings over a table of branch
 * keys use: the Encryption SDK asks it one thing while it loads its parts, and we have no such keyring.
 */
export function isIBranchKeyStoreNode(): false {
  return false
}
