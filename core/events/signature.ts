/**
 * The header by which a webhook's receiver knows that a delivery is the gateway's, and fresh. Bound by
 * docs/admin-api.md, Events.
 *
 *   Skillgate-Signature: t=1795219200,v1=<hex>[,v1=<hex>]
 *
 * `v1` is HMAC-SHA256 over `<t>.<body>`; while the secret is rotated there is one for each value.
 */
export const SIGNATURE_HEADER = 'skillgate-signature'

/** The signed text: the delivery's start in seconds since 1970, and the body. */
export function signedText(atSec: number, body: string): string {
  return `${atSec}.${body}`
}

export function signatureHeader(atSec: number, macs: readonly string[]): string {
  return [`t=${atSec}`, ...macs.map((mac) => `v1=${mac}`)].join(',')
}
