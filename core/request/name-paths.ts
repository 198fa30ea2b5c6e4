/**
 * How servers read the names of pairs, so that two names can be compared that one server or another takes
 * for the same: qs, PHP, Rails, Spring and ASP.NET nest by brackets or dots, ignore case or spaces at the
 * ends, or decode twice. A path lists the parts of a name, its root first. Every reading errs on the side
 * of "the same".
 */

export type NamePath = readonly string[]

/** Every path by which some server may read the name. */
export type NameReading = (name: string) => readonly NamePath[]

/** Names that all servers read alike. */
const PLAIN = /^[A-Za-z0-9_-]*$/
/** A name is decoded once by everybody, and once or twice more by careless proxies. */
const DECODINGS = 3
const ESCAPES = /(?:%[0-9a-f]{2})+/gi
const ASCII_ESCAPE = /%[0-7][0-9a-f]/gi
const ITEM = /^\d*$/

/** Queries, forms and parts of multipart bodies. */
export const pairPaths: NameReading = (name) => {
  if (PLAIN.test(name)) return [[name.toLowerCase()]]
  const text = settled(name)
  return [partsOf(text, /[[\]]/), partsOf(text, /[[\].]/), phpPath(text)]
}

/** Members of JSON: some readers ignore case. */
export const memberPaths: NameReading = (name) => [[name.toLowerCase()]]

/** Headers: servers that hand them on as variables write `-` as `_`. */
export const headerPaths: NameReading = (name) => [[name.toLowerCase().replace(/_/g, '-')]]

/** Matrix parameters of a path. A name in the label style may end a value of the text before it. */
export const segmentPaths: NameReading = (name) => {
  const text = settled(name)
  return [[text], ...text.split('.').map((part) => [part])]
}

/** Decoded, in small letters, without spaces at the ends, and cut at a NUL as C does. */
function settled(name: string): string {
  let text = name
  for (let count = 0; count < DECODINGS && text.includes('%'); count += 1) text = decoded(text)
  const [visible = ''] = text.replace(/\+/g, ' ').split('\u0000')
  return visible.trim().toLowerCase()
}

function decoded(text: string): string {
  return text.replace(ESCAPES, (codes) => {
    try {
      return decodeURIComponent(codes)
    } catch {
      // Not UTF-8: what is ASCII in it is decoded all the same.
      return codes.replace(ASCII_ESCAPE, (code) =>
        String.fromCharCode(Number(`0x${code.slice(1)}`)),
      )
    }
  })
}

/** `a[]`, `a[0]` and `a[12]` are items of a list alike. */
function partsOf(text: string, delimiter: RegExp): NamePath {
  const [root = '', ...inner] = text.replace(/\[\s*\]/g, '[0]').split(delimiter)
  const parts = inner.map((part) => part.replace(/["']/g, '').trim()).filter((part) => part !== '')
  const path = parts.map((part) => (ITEM.test(part) ? '0' : part))
  return root === '' ? path : [root, ...path]
}

/** PHP writes `_` for spaces, dots and a bracket without its partner in the root of a name. */
function phpPath(text: string): NamePath {
  const open = text.indexOf('[')
  const isClosed = open > 0 && text.includes(']')
  const root = isClosed ? text.slice(0, open) : text
  const more = isClosed ? text.slice(open) : ''
  return partsOf(root.replace(/[ .[]/g, '_') + more, /[[\]]/)
}
