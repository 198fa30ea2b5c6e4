/** Turns the response of a connection into an `UpstreamAnswer`. Never throws. */
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { parseMediaType } from '../../core/response/media-type.ts'
import type { BodyFailure } from './response-body.ts'

export type ResponseHead = {
  readonly status: number
  /** Alternating lower-case names and values (latin1), in the order sent. */
  readonly headers: readonly string[]
}

/** `showHeaders`: lower-case names of headers that the answer includes. */
export function toAnswered(
  { headers, status }: ResponseHead,
  body: Uint8Array,
  showHeaders?: readonly string[],
): UpstreamAnswer {
  const declared = findHeaderValue(headers, 'content-type') ?? ''
  // Malformed parameters are common and harmless, so then only the type before them is read.
  const type = parseMediaType(declared) ?? parseMediaType(declared.split(';')[0] ?? '')
  const { mediaType = '', charset = 'utf-8' } = type ?? {}
  const retryAfter = findHeaderValue(headers, 'retry-after')
  const plain = { status, mediaType, charset, body }
  const response = retryAfter === undefined ? plain : { ...plain, retryAfter }
  if (showHeaders === undefined) return { kind: 'answered', response }
  const shown = pickHeaders(headers, showHeaders)
  return { kind: 'answered', response: { ...response, headers: shown } }
}

/** Selects headers. Several of one name are joined to a list (RFC 9110 section 5.3). */
function pickHeaders(headers: readonly string[], names: readonly string[]) {
  const pairs = names.flatMap((name) => {
    const values = listHeaderValues(headers, name)
    return values.length === 0 ? [] : [[name, values.join(', ')] as const]
  })
  return Object.fromEntries(pairs)
}

/** The answer for a body that was refused. */
export function toNotAnswered(failure: BodyFailure, bytesMax: number): UpstreamAnswer {
  if (failure === 'too_large') return { kind: 'too_large', bytesMax }
  return { kind: 'unreadable', detail: failure.unreadable }
}

/** All values of a header; `name` in lower case. */
export function listHeaderValues(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1] === name)
}

/** The first value of a header; `name` in lower case. */
export function findHeaderValue(headers: readonly string[], name: string): string | undefined {
  return listHeaderValues(headers, name)[0]
}
