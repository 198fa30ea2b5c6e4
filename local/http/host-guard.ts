/**
 * The twin's own names: the address on which it listens, the origin that it prints, and the Host
 * and Origin headers that it accepts. A page of any site can reach loopback under a name that
 * resolves to this machine (DNS rebinding); such a request carries that name in Host and is
 * refused.
 */
import { isIP } from 'node:net'
import type { RequestHeaders } from '../../adapters/http/events.ts'
import { isLoopbackHost, isOriginAllowed, matchesOwnHost } from '../../core/access/origin.ts'

/**
 * Returns the origin for clients on this machine, such as `http://127.0.0.1:8787`. A wildcard
 * address is reached by loopback.
 */
export function toOrigin(host: string, port: number): string {
  return `http://${toUrlHost(host)}:${port}`
}

/**
 * Tells whether the Host header is accepted: loopback, the name or address of --host, and any
 * address if the twin listens on all.
 */
export function isOwnHost(sent: string | undefined, listenHost: string): boolean {
  if (isLoopbackHost(sent) || matchesOwnHost(sent, [toUrlHost(listenHost)])) return true
  // Rebinding needs a name; an address in Host is the address to which the client connected.
  return isWildcard(listenHost) && isIP(toBareName(sent ?? '')) !== 0
}

/**
 * Tells whether a request has no Origin, or the Origin of a page on this machine. A browser sends
 * simple requests of any site, even if the site may not read the answer.
 */
export function isOwnOrigin({ host, origin }: RequestHeaders): boolean {
  return isOriginAllowed({ origin, host, allowedOrigins: [] })
}

function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIP(host) === 6 ? `[${host}]` : host
}

/** Tells whether the twin listens on every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function toBareName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
}
