/**
 * An upstream request as people read it: line by line as it would be written, with every secret masked. Takes a
 * request that was made with stand-ins (stand-ins.ts), never one with secrets.
 */

import type { RequestHead, UpstreamRequest } from '../call/upstream.ts'
import { base64OfBytes } from '../json/base64.ts'
import type { Mask } from '../response/mask.ts'

export type ShownRequest = {
  readonly method: string
  readonly url: string
  /** All that are written, in their order. */
  readonly headers: readonly ShownHeader[]
  /** Absent when there is none, and when `bodyBase64` is there. */
  readonly body?: string
  /** Base64 of a body that is no UTF-8 text. */
  readonly bodyBase64?: string
  /** The body is longer than SHOWN_BODY_UNITS_MAX, and this is its start. */
  readonly bodyIsCut?: true
}

export type ShownHeader = { readonly name: string; readonly value: string }

/** Characters of a body that are shown: an answer of a function has 6 MB. */
export const SHOWN_BODY_UNITS_MAX = 262_144
/** In place of a value that a hook computed from a secret. */
export const MADE_FROM_SECRETS = '[made from secrets]'
/** In place of the length of a body with a secret, which would reveal the secret's length. */
export const LENGTH_WITH_SECRETS = '[length with secrets]'
/** In place of what differs in each call. */
export const OF_EACH_CALL = '[of each call]'

export function shownRequest(
  request: UpstreamRequest,
  head: RequestHead,
  mask: Mask,
): ShownRequest {
  return {
    method: request.method,
    url: mask(head.url),
    headers: head.headers.map(([name, value]) => ({
      name,
      value: shownValue(request, { name, value }, mask),
    })),
    ...shownBody(request.body, mask),
  }
}

function shownValue(
  { sensitive }: UpstreamRequest,
  { name, value }: ShownHeader,
  mask: Mask,
): string {
  if (name === 'traceparent') return OF_EACH_CALL
  if (name === 'content-length' && sensitive?.body === true) return LENGTH_WITH_SECRETS
  const masked = mask(value)
  const isTransformed = sensitive?.headers.includes(name) === true && masked === value
  return isTransformed ? MADE_FROM_SECRETS : masked
}

function shownBody(
  body: UpstreamRequest['body'],
  mask: Mask,
): Pick<ShownRequest, 'body' | 'bodyBase64' | 'bodyIsCut'> {
  if (body === undefined) return {}
  const text = typeof body === 'string' ? body : utf8Of(body)
  // Masked before it is cut, since cutting could leave half a stand-in.
  if (text !== undefined) return cut('body', mask(text))
  return cut('bodyBase64', base64OfBytes(masked(body, mask)))
}

function cut(name: 'body' | 'bodyBase64', text: string) {
  if (text.length <= SHOWN_BODY_UNITS_MAX) return { [name]: text }
  return { [name]: text.slice(0, SHOWN_BODY_UNITS_MAX), bodyIsCut: true as const }
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // The TypeError says no more than that it is no UTF-8.
    return undefined
  }
}

/** Each byte as one character, so that a stand-in within binary parts is found. */
function masked(body: UpstreamRequest['body'], mask: Mask): Uint8Array {
  if (body === undefined || typeof body === 'string') return new Uint8Array()
  let text = ''
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...body.subarray(at, at + CHUNK_BYTES))
  }
  return Uint8Array.from(mask(text), (char) => char.charCodeAt(0))
}

/** Few enough to be the arguments of one function call. */
const CHUNK_BYTES = 16_384
