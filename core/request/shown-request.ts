/**
 * Shows an upstream request to people: URL, headers and body as they would be written, with every
 * secret masked. The request must be made with stand-ins (stand-ins.ts), never with secrets.
 */
import type { RequestHead, UpstreamRequest } from '../call/upstream.ts'
import { encodeBase64 } from '../json/base64.ts'
import type { Mask } from '../response/mask.ts'

export type ShownRequest = {
  readonly method: string
  readonly url: string
  /** All headers in the order in which they are written. */
  readonly headers: readonly ShownHeader[]
  /** Absent without a body, and with `bodyBase64`. */
  readonly body?: string
  /** Base64 of a body that is not UTF-8 text. */
  readonly bodyBase64?: string
  /** The body is longer than SHOWN_BODY_UNITS_MAX, and only its start is shown. */
  readonly bodyIsCut?: true
}

export type ShownHeader = { readonly name: string; readonly value: string }

/** UTF-16 units of a body that are shown. A function's answer has at most 6 MB. */
export const SHOWN_BODY_UNITS_MAX = 262_144
/** Replaces a value that a hook computed from a secret. */
export const MADE_FROM_SECRETS = '[made from secrets]'
/** Replaces the length of a body with a secret, which would reveal the secret's length. */
export const LENGTH_WITH_SECRETS = '[length with secrets]'
/** Replaces a value that differs in each call. */
export const DIFFERS_PER_CALL = '[of each call]'

/** Returns the request with all secrets masked. `head` is the head of that request as written. */
export function showRequest(request: UpstreamRequest, head: RequestHead, mask: Mask): ShownRequest {
  return {
    method: request.method,
    url: mask(head.url),
    headers: head.headers.map(([name, value]) => ({
      name,
      value: maskHeader(request, { name, value }, mask),
    })),
    ...showBody(request.body, mask),
  }
}

function maskHeader(
  { sensitive }: UpstreamRequest,
  { name, value }: ShownHeader,
  mask: Mask,
): string {
  if (name === 'traceparent') return DIFFERS_PER_CALL
  if (name === 'content-length' && sensitive?.body === true) return LENGTH_WITH_SECRETS
  const masked = mask(value)
  const isTransformed = sensitive?.headers.includes(name) === true && masked === value
  return isTransformed ? MADE_FROM_SECRETS : masked
}

function showBody(
  body: UpstreamRequest['body'],
  mask: Mask,
): Pick<ShownRequest, 'body' | 'bodyBase64' | 'bodyIsCut'> {
  if (body === undefined) return {}
  const text = typeof body === 'string' ? body : decodeUtf8(body)
  // The text is masked before it is cut, because a cut could leave half of a stand-in.
  if (text !== undefined) return cutBody('body', mask(text))
  return cutBody('bodyBase64', encodeBase64(maskBytes(body, mask)))
}

function cutBody(name: 'body' | 'bodyBase64', text: string) {
  if (text.length <= SHOWN_BODY_UNITS_MAX) return { [name]: text }
  return { [name]: text.slice(0, SHOWN_BODY_UNITS_MAX), bodyIsCut: true as const }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // The TypeError only says that the bytes are not UTF-8.
    return undefined
  }
}

/** Masks bytes as text with one character per byte, to find stand-ins between binary parts. */
function maskBytes(body: UpstreamRequest['body'], mask: Mask): Uint8Array {
  if (body === undefined || typeof body === 'string') return new Uint8Array()
  let text = ''
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...body.subarray(at, at + CHUNK_BYTES))
  }
  return Uint8Array.from(mask(text), (char) => char.charCodeAt(0))
}

/** Small enough to spread as arguments of one function call. */
const CHUNK_BYTES = 16_384
