/**
 * Decides which calls get a line in the log: each call that failed, was refused or was slow, and
 * one in `sampling` of all others. Metrics count all calls, and the ledger has all of them, so a
 * missing line loses no number and no money. The choice follows from the call's id alone: it is the
 * same in every process, and a test knows it.
 */
import type { CallLine } from '../../core/ports/outside.ts'

/** A call that took this long always has a line, in milliseconds: people ask about slow calls. */
export const CALL_SLOW_MS = 2_000

/**
 * Returns the number of calls for which the line of this call stands: 1, `sampling`, or 0 for no
 * line.
 */
export function weighCallLine(
  { callId, code, durationMs, outcome }: CallLine,
  sampling: number,
): number {
  const isSuccess = code === undefined && (outcome === 'settled' || outcome === 'free')
  if (!isSuccess || durationMs >= CALL_SLOW_MS || sampling <= 1) return 1
  return hashText(callId) % sampling === 0 ? sampling : 0
}

/** FNV-1a, 32 bits: ids differ in their random part, and the hash spreads them evenly. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
