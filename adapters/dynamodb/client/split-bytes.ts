/**
 * Splits sealed bytes that are too long for one item into parts, and joins them again. Writers
 * store the head last, so a head without its parts cannot exist.
 */
import { Fault } from '../../../core/errors.ts'
import { REPLY_ITEM_BYTES_MAX } from '../../../core/session/limits.ts'

/** Parts of one value, 2.8 MB in all. Callers allow 1 MiB, so only a bug exceeds this limit. */
export const PARTS_MAX = 8
/** Parts of the result of a task, 4.2 MB in all; callers allow 4 MB. */
export const TASK_PARTS_MAX = 12

/** Returns one part or more; the first is stored in the head. Throws `Fault('internal')`. */
export function splitParts(
  kind: 'reply' | 'answer' | 'task',
  sealed: Uint8Array,
): readonly [Uint8Array, ...Uint8Array[]] {
  const bytesMax = (kind === 'task' ? TASK_PARTS_MAX : PARTS_MAX) * REPLY_ITEM_BYTES_MAX
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
