/** JSON Pointer (RFC 6901): names one place in a document. `''` is the whole of it. */

/** `['a/b', 0, 'c']` → `/a~1b/0/c`. */
export function jsonPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${escapePart(String(part))}`).join('')
}

function escapePart(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
