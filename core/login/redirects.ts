/**
 * Which redirect URIs a client may have, and whether one is a registered one. URIs are compared as
 * text: a comparison of parsed URLs takes `http://127.1/` for `http://127.0.0.1/`. Only the port of
 * a loopback URI is ignored (RFC 8252 section 7.3), for `localhost` too, because programs take a
 * free port. Bound by docs/login.md.
 */
import { REDIRECT_URI_CHARS_MAX } from './limits.ts'

const VISIBLE_ASCII = /^[!-~]+$/
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:\/.*)?)$/
const HOSTED = /^https:\/\/([a-z0-9.-]+(?::[1-9]\d{0,4})?)(?:\/.*)?$/
const PORT_MAX = 65_535

/** Callbacks of hosted clients and of editors. `cursor:` is a scheme of one program. */
const KNOWN: readonly RegExp[] = [
  /^https:\/\/claude\.(?:ai|com)\/api\/mcp\/auth_callback$/,
  /^https:\/\/chatgpt\.com\/connector\/oauth\/[A-Za-z0-9_-]{1,100}$/,
  /^https:\/\/chatgpt\.com\/connector_platform_oauth_redirect$/,
  /^https:\/\/(?:insiders\.)?vscode\.dev\/redirect$/,
  /^https:\/\/www\.cursor\.com\/agents\/mcp\/oauth\/callback$/,
  /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback$/,
]

/**
 * True if a client may have this redirect URI: loopback, a known callback, or any https path of a
 * host that the operator lists (`app.example`, or with a port).
 */
export function isAdmissible(uri: string, hosts: readonly string[]): boolean {
  if (uri.length > REDIRECT_URI_CHARS_MAX || !VISIBLE_ASCII.test(uri)) return false
  // A backslash is a slash to browsers, and a fragment would hide what is added to the query.
  if (uri.includes('#') || uri.includes('\\')) return false
  if (isLoopback(uri) || KNOWN.some((pattern) => pattern.test(uri))) return true
  const host = HOSTED.exec(uri)?.[1]
  return host !== undefined && hosts.includes(host)
}

export function isLoopback(uri: string): boolean {
  const match = LOOPBACK.exec(uri)
  return match !== null && Number(match[2] ?? '1') <= PORT_MAX
}

/** True if `uri` is one of the registered URIs. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return registered.some((one) => one === uri || cutPort(one) === cutPort(uri))
}

/** Where the person's browser goes, as the page shows it. */
export function toShownHost(uri: string): string {
  const [, scheme = '', host = ''] = /^([a-z]+):\/\/([^/?]*)/.exec(uri) ?? []
  return scheme === 'http' || scheme === 'https' ? host : `${scheme}://${host}`
}

/** Adds parameters to a redirect URI, which may have a query of its own. */
export function addQuery(
  uri: string,
  added: { readonly [name: string]: string | undefined },
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}

/** Another text for every other URI, except that a loopback URI loses its port. */
function cutPort(uri: string): string {
  const [, origin, , rest] = isLoopback(uri) ? (LOOPBACK.exec(uri) ?? []) : []
  return origin === undefined ? uri : `${origin}${rest ?? ''}`
}
