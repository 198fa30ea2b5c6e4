/**
 * Clients that register themselves (RFC 7591). The client id is the registration itself with a MAC,
 * so nothing is stored and no flood of registrations fills the store. It never expires, because
 * clients do not recover from an expired one (RFC 7591 appendix A.5.2).
 */
import { encodeBase64Text } from '../json/base64.ts'
import { escapeHiddenText } from '../json/hidden-text.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import type { Digests } from '../ports/outside.ts'
import { CLIENT_ID_CHARS_MAX, CLIENT_NAME_CHARS_MAX, REDIRECTS_PER_CLIENT_MAX } from './limits.ts'
import { isAdmissible } from './redirects.ts'

type Mac = Pick<Digests, 'equal' | 'mac'>

export type LoginClient = {
  readonly clientId: string
  /** As the client calls itself; nobody has checked it. */
  readonly name: string
  readonly redirectUris: readonly string[]
  /** The host of a client metadata document, which a browser's user can judge. */
  readonly documentHost?: string
  /** The gateway's own console (console-client.ts). */
  readonly isConsole?: true
}

const CLIENT_ID = /^c1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{22})$/
/** Characters of the MAC: 132 bits. */
const MAC_CHARS = 22

/** Returns the client id of a registration. `nonce` makes each registration another client. */
export function signClientId(
  { mac }: Mac,
  secret: string,
  client: Pick<LoginClient, 'name' | 'redirectUris'> & { readonly nonce: string },
): string {
  const text = JSON.stringify({ n: client.name, r: client.redirectUris, x: client.nonce })
  const payload = encodeBase64Text(text)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
  return `c1.${payload}.${mac(secret, `client\n${payload}`).slice(0, MAC_CHARS)}`
}

/** Returns the client; undefined if this gateway did not sign the id. */
export function readClientId(
  digests: Mac,
  secret: string,
  clientId: string,
): LoginClient | undefined {
  if (clientId.length > CLIENT_ID_CHARS_MAX) return undefined
  const [, payload, mac] = CLIENT_ID.exec(clientId) ?? []
  if (payload === undefined || mac === undefined) return undefined
  const expected = digests.mac(secret, `client\n${payload}`).slice(0, MAC_CHARS)
  if (!digests.equal(mac, expected)) return undefined
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  const json = parseJson(Uint8Array.from(text, (unit) => unit.charCodeAt(0)))
  if (!json.ok || !isJsonObject(json.value)) return undefined
  const { n: name, r: redirectUris } = json.value
  if (typeof name !== 'string' || !isTexts(redirectUris)) return undefined
  return { clientId, name, redirectUris }
}

/**
 * Returns the redirect URIs of a registration or document that a client may have, and its name.
 * Other URIs are dropped, because clients register several and use one. Undefined if none is left.
 */
export function readClientMetadata(
  metadata: Json,
  hosts: readonly string[],
): Pick<LoginClient, 'name' | 'redirectUris'> | undefined {
  if (!isJsonObject(metadata) || !isTexts(metadata['redirect_uris'])) return undefined
  const redirectUris = metadata['redirect_uris']
    .filter((uri) => isAdmissible(uri, hosts))
    .slice(0, REDIRECTS_PER_CLIENT_MAX)
  if (redirectUris.length === 0) return undefined
  return { name: toShownName(metadata['client_name']), redirectUris }
}

function toShownName(name: Json | undefined): string {
  const text = typeof name === 'string' ? escapeHiddenText(name).trim() : ''
  const shown = [...text].slice(0, CLIENT_NAME_CHARS_MAX).join('')
  return shown === '' ? 'a program without a name' : shown
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
