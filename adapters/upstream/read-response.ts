/** Turns the response of a connection into the core's answer. Never throws. */
import { parseMediaType } from '../../core/call/media-type.ts'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { firstValue, valuesOf } from './response-head.ts'
import type { ResponseFault, ResponseOutcome } from './response-reader.ts'

export function answered(
  { headers, status }: ResponseOutcome,
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

export function notAnswered(fault: ResponseFault, bytesMax: number): UpstreamAnswer {
  if (fault === 'too_large') return { kind: 'too_large', bytesMax }
  if (fault !== 'broken') return { kind: 'unreadable', detail: fault.unreadable }
  const detail = 'broke off in the middle of its answer'
  return { kind: 'unreachable', detail, hasPartialAnswer: true }
}
