/**
 * Reasons why an upstream could not be reached, in words for agents: without addresses, ports and
 * texts of node or OpenSSL. Each text continues a sentence "the upstream …".
 */
const REASONS: { readonly [code: string]: string } = {
  EAI_AGAIN: 'has a host name that did not resolve',
  ENOTFOUND: 'has a host name that did not resolve',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before it answered',
  EPIPE: 'closed the connection before it answered',
  EHOSTUNREACH: 'could not be reached over the network',
  ENETUNREACH: 'could not be reached over the network',
  ETIMEDOUT: 'did not accept the connection in time',
  EPROTO: 'did not speak TLS',
}

/** The text for a name that resolves to an address that is not public, alone or among others. */
export const NOT_PUBLIC_ADDRESS =
  'its host name leads to an address that is not public; use a public host, or let the operator allow it (--outbound-allow, on AWS OUTBOUND_ALLOW or PRIVATE_HOSTS)'

/** The text for a private host with an address that no host of a network may have. */
export const REFUSED_LISTED_ADDRESS =
  'its host name leads to an address of the machine itself or of a metadata service, which no host of privateHosts may have'

const CERTIFICATE = /^(CERT_|UNABLE_TO_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/

/** `cause` undefined: the connection ended without an error and without an answer. */
export function describeUnreachable(cause: unknown): string {
  const code = cause === undefined ? 'ECONNRESET' : readErrorCode(cause)
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  if (known !== undefined) return known
  if (CERTIFICATE.test(code)) return 'has a TLS certificate that is not valid'
  if (code.startsWith('ERR_SSL_')) return 'did not speak TLS'
  return 'could not be reached'
}

/** The `code` of node's error; '' for any other value. Of several errors, the first one's code. */
export function readErrorCode(cause: unknown): string {
  if (cause instanceof AggregateError && !('code' in cause)) return readErrorCode(cause.errors[0])
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return ''
  return String(cause.code)
}
