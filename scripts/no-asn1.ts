/**
 * Replaces `asn1.js` in bundles. The Encryption SDK describes the forms of ECDSA keys and signatures by it while it
 * loads, and reads them in messages that are signed. We make none, and adapters/kms/message-seals.ts refuses them before.
 */
function refuse(): never {
  throw new Error('kms: messages with a signature are not read')
}

export default {
  bignum: { BN: refuse },
  define: () => ({ decode: refuse, encode: refuse }),
}
