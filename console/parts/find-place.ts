/** Finds the place of a JSON Pointer in JSON text. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** An object or array that is open at a token. A new member of an object has no name yet. */
type Open = { readonly isObject: boolean; name: string | undefined }

/**
 * Returns the UTF-16 units before the value or name at the pointer, or at the longest part of the
 * pointer that the text has. The text must be JSON.
 */
export function findPlace(text: string, pointer: string): number {
  const open: Open[] = []
  let found = { depth: -1, at: 0 }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (!step(open, token)) continue
    const path = open.map(({ name = '' }) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    const fits = `${pointer}/`.startsWith(`${path.join('')}/`)
    if (fits && path.length > found.depth) found = { depth: path.length, at: index }
    if (token === '{') open.push({ isObject: true, name: undefined })
    if (token === '[') open.push({ isObject: false, name: '0' })
  }
  return found.at
}

/** Takes a token into account. Returns true for a name and the beginning of a value. */
function step(open: Open[], token: string): boolean {
  if (token === ':') return false
  const top = open.at(-1)
  if (token === '}' || token === ']') open.pop()
  else if (top === undefined) return true
  else if (token === ',') top.name = top.isObject ? undefined : `${Number(top.name) + 1}`
  else top.name ??= String(JSON.parse(token))
  return !/[}\],]/.test(token[0] ?? '')
}
