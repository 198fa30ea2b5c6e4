/** Turns the response of a connection into the core's answer. Never throws. */

import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { parseMediaType } from '../../core/response/media-type.ts'
import type { BodyFault } from './response-body.ts'

export type ResponseHead = {
  readonly status: number
  /** Lower-case names and their values (latin1) by turns, in the order sent. */
  readonly headers: readonly string[]
}

export function answered(
  { headers, status }: ResponseHead,
  body: Uint8Array,
  showHeaders?: readonly string[],
): UpstreamAnswer {
  const declared = firstValue(headers, 'content-type') ?? ''
  // Broken parameters are common and harmless; only the type before them matters.
  const type = parseMediaType(declared) ?? parseMediaType(declared.split(';')[0] ?? '')
  const { mediaType = '', charset = 'utf-8' } = type ?? {}
  const retryAfter = firstValue(headers, 'retry-after')
  const plain = { status, mediaType, charset, body }
  const response = retryAfter === undefined ? plain : { ...plain, retryAfter }
  if (showHeaders === undefined) return { kind: 'answered', response }
  const shown = pickedFrom(headers, showHeaders)
  return { kind: 'answered', response: { ...response, headers: shown } }
}

/** Several headers of one name are one list (RFC 9110 section 5.3). */
function pickedFrom(headers: readonly string[], names: readonly string[]) {
  const pairs = names.flatMap((name) => {
    const values = valuesOf(headers, name)
    return values.length === 0 ? [] : [[name, values.join(', ')] as const]
  })
  return Object.fromEntries(pairs)
}

export function notAnswered(fault: BodyFault, bytesMax: number): UpstreamAnswer {
  if (fault === 'too_large') return { kind: 'too_large', bytesMax }
  return { kind: 'unreadable', detail: fault.unreadable }
}

/** All values of a header; `name` in lower case. */
export function valuesOf(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1] === name)
}

/** The first value of a header; `name` in lower case. */
export function firstValue(headers: readonly string[], name: string): string | undefined {
  return valuesOf(headers, name)[0]
}
