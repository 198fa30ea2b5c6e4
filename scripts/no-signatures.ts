/**
 * Replaces `asn1.js` in bundles. The Encryption SDK describes the forms of ECDSA keys and signatures by it while it
 * loads, and reads them in messages that are signed. We make none, and adapters/kms/message-seals.ts refuses them before.
 */
export function refuse(): never {
  throw new Error('kms: messages with a signature are not read')
}

const asn1 = { bignum: { BN: refuse }, define: () => ({ decode: refuse, encode: refuse }) }

// biome-ignore lint/style/noDefaultExport: what asn1.js exports.
export default asn1
