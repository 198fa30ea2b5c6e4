/**
 * Reads names of pairs as different servers do, to find names that some server takes as equal. qs,
 * PHP, Rails, Spring and ASP.NET nest by brackets or dots, ignore case or spaces at the ends, or
 * decode twice. A path has the parts of a name, root first. In doubt, two names are equal.
 */

export type NamePath = readonly string[]

/** Returns every path by which some server may read the name. */
export type NameReading = (name: string) => readonly NamePath[]

/** Names that all servers read in the same way. */
const PLAIN = /^[A-Za-z0-9_-]*$/
/** Every server decodes a name once; careless proxies decode it once or twice more. */
const DECODINGS = 3
const ESCAPES = /(?:%[0-9a-f]{2})+/gi
const ASCII_ESCAPE = /%[0-7][0-9a-f]/gi
const ITEM = /^\d*$/

/** Reads names in queries, forms and multipart bodies. */
export const readPairPaths: NameReading = (name) => {
  if (PLAIN.test(name)) return [[name.toLowerCase()]]
  const text = normalise(name)
  return [splitName(text, /[[\]]/), splitName(text, /[[\].]/), toPhpPath(text)]
}

/** Reads names of JSON members: some readers ignore case. */
export const readMemberPaths: NameReading = (name) => [[name.toLowerCase()]]

/** Reads header names: servers that pass them on as variables write `-` as `_`. */
export const readHeaderPaths: NameReading = (name) => [[name.toLowerCase().replace(/_/g, '-')]]

/** Reads matrix parameters of a path. A dot of the label style may end the value before it. */
export const readSegmentPaths: NameReading = (name) => {
  const text = normalise(name)
  return [[text], ...text.split('.').map((part) => [part])]
}

/** Decodes a name, writes it in lower case, trims it, and cuts it at a NUL as C does. */
function normalise(name: string): string {
  let text = name
  for (let count = 0; count < DECODINGS && text.includes('%'); count += 1) text = decodeOnce(text)
  const [visible = ''] = text.replace(/\+/g, ' ').split('\u0000')
  return visible.trim().toLowerCase()
}

function decodeOnce(text: string): string {
  return text.replace(ESCAPES, (codes) => {
    try {
      return decodeURIComponent(codes)
    } catch {
      // The bytes are not UTF-8; only the ASCII characters are decoded.
      return codes.replace(ASCII_ESCAPE, (code) =>
        String.fromCharCode(Number(`0x${code.slice(1)}`)),
      )
    }
  })
}

/** Splits a name. `a[]`, `a[0]` and `a[12]` get the same path, because all are items of a list. */
function splitName(text: string, delimiter: RegExp): NamePath {
  const [root = '', ...inner] = text.replace(/\[\s*\]/g, '[0]').split(delimiter)
  const parts = inner.map((part) => part.replace(/["']/g, '').trim()).filter((part) => part !== '')
  const path = parts.map((part) => (ITEM.test(part) ? '0' : part))
  return root === '' ? path : [root, ...path]
}

/** In the root of a name, PHP writes `_` for spaces, dots and an unclosed bracket. */
function toPhpPath(text: string): NamePath {
  const open = text.indexOf('[')
  const isClosed = open > 0 && text.includes(']')
  const root = isClosed ? text.slice(0, open) : text
  const more = isClosed ? text.slice(open) : ''
  return splitName(root.replace(/[ .[]/g, '_') + more, /[[\]]/)
}
