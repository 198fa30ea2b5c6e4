/**
 * Reads the media type and the charset of a Content-Type value. Callers decide which values they
 * refuse, and the upstream adapter applies defaults. Bound by RFC 9110, section 8.3.
 */

export type MediaType = {
  /** `type/subtype`, lower-case. */
  readonly mediaType: string
  /** Lower-case, without quotes; undefined without a charset. */
  readonly charset: string | undefined
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?=;|$)`)
/** Optional white space is never repeated side by side, which would take quadratic time. */
const PARAMETER = new RegExp(
  `;\\s*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*)?(?=;|$)`,
  'y',
)

/** Parsed values, because an upstream sends the same value with every answer. */
const cache = new Map<string, MediaType>()
/**
 * Cached values. One more clears the cache. The limit is small, because a cached text may keep the
 * whole response head in memory.
 */
export const KNOWN_VALUES_MAX = 50
/** Characters of a cached value. */
export const KNOWN_CHARS_MAX = 100

/** Returns undefined for a value that is not a media type with well-formed parameters. */
export function parseMediaType(value: string): MediaType | undefined {
  const cached = cache.get(value)
  if (cached !== undefined) return cached
  const read = readMediaType(value)
  if (read === undefined || value.length > KNOWN_CHARS_MAX) return read
  if (cache.size >= KNOWN_VALUES_MAX) cache.clear()
  cache.set(value, read)
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
    if (name?.toLowerCase() === 'charset')
      charset ??= (token ?? unescapeQuoted(quoted)).toLowerCase()
    at += all.length
  }
  return { mediaType: mediaType.toLowerCase(), charset }
}

function unescapeQuoted(quoted: string | undefined): string {
  return (quoted ?? '').replace(/\\(.)/g, '$1')
}
