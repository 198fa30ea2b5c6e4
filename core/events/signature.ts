/**
 * The header that proves to a webhook's receiver that the gateway sent a delivery, and when. Bound
 * by docs/admin-api.md, Events.
 *
 *   Skillgate-Signature: t=1795219200,v1=<hex>[,v1=<hex>]
 *
 * `v1` is HMAC-SHA256 over `<t>.<body>`. During a rotation of the secret, each valid value has one.
 */
export const SIGNATURE_HEADER = 'skillgate-signature'

/** The text to sign: the start of the delivery in seconds since 1970, and the body. */
export function signedText(atSec: number, body: string): string {
  return `${atSec}.${body}`
}

/** `macs` are hexadecimal, one for each valid value of the secret. */
export function signatureHeader(atSec: number, macs: readonly string[]): string {
  return [`t=${atSec}`, ...macs.map((mac) => `v1=${mac}`)].join(',')
}
