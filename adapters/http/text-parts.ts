/**
 * A long text in parts, for writing it to a stream part by part: written whole it is in memory twice more while it
 * leaves, once flattened and once as bytes, and a function has little of it (ADR 0076).
 */

import type { ResponseStream } from './events.ts'

/** UTF-16 units: so large that few answers have a second part, so small that one weighs nothing. */
export const TEXT_PART_UNITS = 262_144

/** At least one part, since a status leaves with a write. */
export function textParts(text: string): readonly string[] {
  if (text.length <= TEXT_PART_UNITS) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** Not between the halves of a surrogate pair: each would be written as U+FFFD. */
function partEnd(text: string, at: number): number {
  const end = at + TEXT_PART_UNITS
  if (end >= text.length) return text.length
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

type PartStream = Pick<ResponseStream, 'destroyed' | 'end' | 'once' | 'write'>

/**
 * Writes the parts and the end. The first part is written at once, even when it is empty: the status leaves with a write,
 * never with `end` alone. Each further part waits until the peer has taken those before it.
 */
export function writeParts(out: PartStream, parts: readonly string[], first = 0): void {
  for (let at = first; at < parts.length; at += 1) {
    if (out.destroyed) return
    const isTaken = out.write(parts[at] ?? '')
    if (isTaken || at + 1 === parts.length) continue
    return void out.once('drain', () => writeParts(out, parts, at + 1))
  }
  out.end()
}
