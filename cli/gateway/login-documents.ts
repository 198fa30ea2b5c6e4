/**
 * Reads the documents by which clients find a login: the metadata of the protected resource and of
 * authorization servers. The gateway may be hostile, so answers are bounded, redirects are not
 * followed, and only clean URLs are fetched or printed. Bound by RFC 9728, RFC 8414 and MCP
 * 2026-07-28, basic/authorization.
 */
import type { Invocation } from '../command/command.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { type Fields, toFields } from './admin-client.ts'
import { parseExactJson } from './exact-json.ts'
import { fetchOrFault } from './fetch-or-fault.ts'
import { readBounded } from './read-bounded.ts'

/** Most bytes of one document; those of the known servers have under 10 kB. */
export const DOCUMENT_BYTES_MAX = 65_536
/** Longest wait for a document; clients give up after about as long. */
const DOCUMENT_TIMEOUT_MS = 10_000
/** Most authorization servers of one resource; a gateway has at most five and its own. */
export const AUTHORIZATION_SERVERS_MAX = 10

const RESOURCE_PATH = '/.well-known/oauth-protected-resource'
const SERVER_PATH = '/.well-known/oauth-authorization-server'
const OPENID_PATH = '/.well-known/openid-configuration'

export type Document = {
  readonly status: number
  /** True if pages of any origin may read it, as clients in browsers must. */
  readonly isOpen: boolean
  /** Empty if the answer is no JSON object. */
  readonly fields: Fields
}

export type Resource =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'found'
      readonly resource: string
      /** As they are written: clients compare issuers byte by byte. */
      readonly servers: readonly string[]
      readonly isOpen: boolean
    }

/** Returns where the metadata of `mcpUrl` are, in the path form, which clients try first. */
export function toMetadataUrl(mcpUrl: string): URL {
  const { origin, pathname } = new URL(mcpUrl)
  return new URL(`${origin}${RESOURCE_PATH}${pathname === '/' ? '' : pathname}`)
}

/** Returns where they are in the root form. */
export function toRootMetadataUrl(mcpUrl: string): URL {
  return new URL(`${new URL(mcpUrl).origin}${RESOURCE_PATH}`)
}

/**
 * Reads the metadata of the gateway. Absent if the answer is 404 or 405, as of a gateway without a
 * login. Throws a CommandFault for any other answer without a resource or a clean server.
 */
export async function readResource(call: Invocation, url: URL): Promise<Resource> {
  const { fields, isOpen, status } = await readDocument(call, url)
  if (status === 404 || status === 405) return { kind: 'absent' }
  const { authorization_servers: listed, resource } = fields
  const texts: readonly unknown[] = Array.isArray(listed) ? listed : []
  const isLocal = isLoopback(url)
  if (status !== 200 || readCleanUrl(resource, isLocal) === undefined || texts.length === 0) {
    throw new CommandFault(`${url.href} answers ${status} and names no resource with a login.`, {
      remedy: 'Let the host in front of the gateway pass /.well-known/ on to the function mcp.',
    })
  }
  if (texts.length > AUTHORIZATION_SERVERS_MAX) {
    throw new CommandFault(
      `${url.href} names ${texts.length} servers; ${AUTHORIZATION_SERVERS_MAX} at most.`,
    )
  }
  const servers = texts.filter((text) => readCleanUrl(text, isLocal) !== undefined).map(String)
  if (servers.length < texts.length) {
    throw new CommandFault(`${url.href} names a server that is no clean https URL.`, {
      remedy: 'Correct the issuers of the gateway: no query, no user and no loopback host.',
    })
  }
  return { kind: 'found', resource: String(resource), servers, isOpen }
}

/** Returns where the metadata of an issuer may be, in the order in which clients try. */
export function listServerUrls(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const paths =
    path === ''
      ? [SERVER_PATH, OPENID_PATH]
      : [`${SERVER_PATH}${path}`, `${OPENID_PATH}${path}`, `${path}${OPENID_PATH}`]
  return paths.map((one) => new URL(`${origin}${one}`))
}

/** Reads a document. Throws a CommandFault if there is no answer, or one without an end. */
export async function readDocument(call: Invocation, url: URL): Promise<Document> {
  const timeout = AbortSignal.timeout(DOCUMENT_TIMEOUT_MS)
  try {
    const headers = { Accept: 'application/json' }
    const response = await fetchOrFault(call, url, { method: 'GET', headers, signal: timeout })
    const isOpen = response.headers.get('access-control-allow-origin') === '*'
    const bytes = await readBounded(response, { bytesMax: DOCUMENT_BYTES_MAX, name: url.href })
    return { status: response.status, isOpen, fields: parseFields(new TextDecoder().decode(bytes)) }
  } catch (cause) {
    if (cause instanceof CommandFault || call.shell.signal.aborted) throw cause
    throw new CommandFault(`${url.href} gave no whole answer in ${DOCUMENT_TIMEOUT_MS / 1_000} s.`)
  }
}

function parseFields(text: string): Fields {
  try {
    return toFields(parseExactJson(text))
  } catch {
    return {}
  }
}

/** Characters of a URL that mean nothing in a shell or a terminal. */
const CLEAN_URL = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~:%/-]*)?$/
/** Longest URL; browsers and clients take more. */
const URL_CHARS_MAX = 2_000

/**
 * Returns the URL if it may be fetched: https, or loopback if the gateway itself is there, so that
 * no gateway elsewhere makes this machine ask its own programs.
 */
export function readCleanUrl(text: unknown, isGatewayLocal: boolean): URL | undefined {
  if (typeof text !== 'string' || text.length > URL_CHARS_MAX || !CLEAN_URL.test(text)) {
    return undefined
  }
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (isLoopback(url)) return isGatewayLocal ? url : undefined
  return url.protocol === 'https:' ? url : undefined
}

/** True for the names and addresses of this machine; `URL` has written all their forms alike. */
export function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname.startsWith('127.') ||
    hostname === '0.0.0.0' ||
    hostname === '[::1]' ||
    hostname === '[::]' ||
    hostname.startsWith('[::ffff:7f')
  )
}
