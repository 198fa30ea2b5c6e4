/**
 * Reads a Content-Type value: the media type and its charset, nothing else. Judges neither: the
 * functions refuse, and the upstream adapter applies defaults. Bound by RFC 9110, section 8.3.
 */

export type MediaType = {
  /** `type/subtype`, lower-case. */
  readonly mediaType: string
  /** Lower-case, unquoted; undefined when the value names none. */
  readonly charset: string | undefined
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?=;|$)`)
/**
 * No two optional runs of white space are adjacent, because matching them would take quadratic
 * time.
 */
const PARAMETER = new RegExp(
  `;\\s*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*)?(?=;|$)`,
  'y',
)

/** Values that were read, since an upstream sends the same with every answer. */
const known = new Map<string, MediaType>()
/** Values kept; one more, and all are forgotten. A value may keep the whole head that it came in. */
export const KNOWN_VALUES_MAX = 50
/** Characters of a value that is kept. */
export const KNOWN_CHARS_MAX = 100

/** Undefined when the value is not a media type with well-formed parameters. */
export function parseMediaType(value: string): MediaType | undefined {
  const before = known.get(value)
  if (before !== undefined) return before
  const read = readMediaType(value)
  if (read === undefined || value.length > KNOWN_CHARS_MAX) return read
  if (known.size >= KNOWN_VALUES_MAX) known.clear()
  known.set(value, read)
  return read
}

function readMediaType(value: string): MediaType | undefined {
  const mediaType = TYPE.exec(value)?.[1]
  if (mediaType === undefined) return undefined
  let charset: string | undefined
  let at = value.indexOf(mediaType) + mediaType.length
  at += value.slice(at).length - value.slice(at).trimStart().length
  while (at < value.length) {
    PARAMETER.lastIndex = at
    const found = PARAMETER.exec(value)
    if (found === null) return undefined
    const [all, name, token, quoted] = found
    if (name?.toLowerCase() === 'charset') charset ??= (token ?? unescaped(quoted)).toLowerCase()
    at += all.length
  }
  return { mediaType: mediaType.toLowerCase(), charset }
}

function unescaped(quoted: string | undefined): string {
  return (quoted ?? '').replace(/\\(.)/g, '$1')
}
