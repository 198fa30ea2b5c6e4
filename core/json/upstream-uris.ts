/**
 * URIs of upstreams' resources as agents know them: `skillgate://upstreams/{id}/{uri}`, and
 * `ui://upstreams/{id}/{uri}` for pages of Apps, which must have that scheme. The server's own URI
 * follows unchanged, so a template can be expanded before or after it was rewritten. The id says
 * which server is asked, so no server can name a resource of another one, or of the gateway.
 */

/** UTF-16 units of a URI here: as many as a read may ask for, and a link may have. */
const URI_CHARS_MAX = 2_048

const PLACES = ['skillgate://upstreams/', 'ui://upstreams/'] as const
const [OWN, UI] = PLACES
const UI_SCHEME = 'ui://'
/** Visible ASCII, so that no client normalises it and no hidden character is in it. */
const PLAIN = /^[\x21-\x7e]+$/
const HAS_SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/

/** Returns undefined for a text that is no URI, or one that is too long here. */
export function toUpstreamUri(id: string, uri: string): string | undefined {
  if (!PLAIN.test(uri) || !HAS_SCHEME.test(uri)) return undefined
  const whole = `${isUiUri(uri) ? UI : OWN}${id}/${uri}`
  return whole.length <= URI_CHARS_MAX ? whole : undefined
}

export function isUiUri(uri: string): boolean {
  return uri.slice(0, UI_SCHEME.length).toLowerCase() === UI_SCHEME
}

/** Returns undefined for a text that {@link toUpstreamUri} did not write. */
export function readUpstreamUri(
  text: string,
): { readonly id: string; readonly uri: string } | undefined {
  const place = PLACES.find((one) => text.startsWith(one))
  if (place === undefined) return undefined
  const slash = text.indexOf('/', place.length)
  if (slash < 0) return undefined
  const id = text.slice(place.length, slash)
  const uri = text.slice(slash + 1)
  return toUpstreamUri(id, uri) === text ? { id, uri } : undefined
}
