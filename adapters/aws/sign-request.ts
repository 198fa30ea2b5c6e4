/**
 * Signs requests to AWS (SigV4) for those who do without a client of the SDK. Sends nothing. The library
 * is smithy's, its hashes are node's. It is loaded with the first request: the start of a stream signs none.
 */
import type { SignatureV4 } from '@smithy/signature-v4'
import { NodeSha256 } from './node-sha256.ts'

export type Credentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export type SignedAs = {
  /** The name that AWS signs under: `lambda`, `s3`, `events`. */
  readonly service: string
  readonly region: string
  readonly credentials: Credentials
}

/** Its query may have each name once. */
export type UnsignedRequest = {
  readonly method: string
  readonly url: URL
  /** Lower-case names; `host` is added. */
  readonly headers: Headers
  readonly body?: Uint8Array | string | undefined
}

type Headers = { readonly [name: string]: string }

/**
 * A hop between us and the service may write its own span into this header; that must not break the
 * signature.
 */
const UNSIGNED = new Set(['traceparent'])

/** Answers the headers to send, `authorization` among them. `nowMs` is epoch milliseconds. */
export async function signRequest(
  as: SignedAs,
  { body, headers, method, url }: UnsignedRequest,
  nowMs: number,
): Promise<Headers> {
  const unsigned = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    ...(body === undefined ? {} : { body }),
  }
  const options = { signingDate: new Date(nowMs), unsignableHeaders: UNSIGNED }
  return (await (await signer(as)).sign(unsigned, options)).headers
}

async function signer({ credentials, region, service }: SignedAs): Promise<SignatureV4> {
  const { SignatureV4 } = await import('@smithy/signature-v4')
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  return new SignatureV4({
    service,
    region,
    sha256: NodeSha256,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
    // S3 alone signs a path as it is sent; the others encode it once more.
    uriEscapePath: service !== 's3',
  })
}
