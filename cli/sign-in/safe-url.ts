/**
 * Reads URLs that a gateway or an issuer names. Such a URL is shown, opened in a browser or gets a
 * token, so only https is accepted, and http to this machine.
 */
import { CommandFault } from '../terminal/exit-code.ts'

/** Characters, more than any issuer needs. */
const URL_CHARS_MAX = 2_048
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Throws a CommandFault that names `what`, such as `the token endpoint`. */
export function readSafeUrl(value: unknown, what: string): URL {
  const url = typeof value === 'string' && value.length <= URL_CHARS_MAX ? parse(value) : undefined
  if (url !== undefined) return url
  throw new CommandFault(`${what} is not a plain https URL.`, {
    remedy: 'Tell the operator of the gateway, and sign in with an admin key instead.',
  })
}

/** `//` at once after the scheme: URL accepts `https:host` too, and other programs do not. */
function parse(text: string): URL | undefined {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isAllowed = url.protocol === 'https:' || LOOPBACK.includes(url.hostname)
  return isAllowed && url.username === '' && url.password === '' && url.hash === ''
    ? url
    : undefined
}
