/**
 * Cuts sealed bytes that are too long for one item into parts, and joins them again. Writers put
 * the head last, so that a head without its parts cannot exist.
 */
import { Fault } from '../../../core/errors.ts'
import { REPLY_ITEM_BYTES_MAX } from '../../../core/session/limits.ts'

/** 2.8 MB: far past the 1 MiB that callers allow, so only a bug gets here. */
export const PARTS_MAX = 8

/** At least one part; the first belongs to the head. */
export function splitParts(
  kind: 'reply' | 'answer' | 'task',
  sealed: Uint8Array,
): readonly [Uint8Array, ...Uint8Array[]] {
  const bytesMax = PARTS_MAX * REPLY_ITEM_BYTES_MAX
  if (sealed.length > bytesMax) {
    throw new Fault(
      'internal',
      `${kind}: has ${sealed.length} bytes, over the limit of ${bytesMax}`,
    )
  }
  const rest: Uint8Array[] = []
  for (let from = REPLY_ITEM_BYTES_MAX; from < sealed.length; from += REPLY_ITEM_BYTES_MAX) {
    rest.push(sealed.subarray(from, from + REPLY_ITEM_BYTES_MAX))
  }
  return [sealed.subarray(0, REPLY_ITEM_BYTES_MAX), ...rest]
}

export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const [first, ...rest] = parts
  if (first !== undefined && rest.length === 0) return first
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
