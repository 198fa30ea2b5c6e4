/**
 * The twin's own names: the address it listens on, the origin it prints, and the Host and Origin headers it
 * accepts. A page of any site can reach loopback under a name that it resolves to this machine (DNS
 * rebinding); such a request carries that name in Host and is refused.
 */
import { isIP } from 'node:net'
import type { RequestHeaders } from '../../adapters/http/events.ts'
import { checkHost, checkOrigin, isLoopbackHost } from '../../core/access/origin.ts'

/**
 * `http://127.0.0.1:8787`: the origin for clients on this machine. A wildcard address is reached by
 * loopback.
 */
export function originOf(host: string, port: number): string {
  return `http://${urlHost(host)}:${port}`
}

/**
 * Accepts loopback, the name or address of --host, and any address when the twin listens on all.
 */
export function isOwnHost(sent: string | undefined, listenHost: string): boolean {
  if (isLoopbackHost(sent) || checkHost(sent, [urlHost(listenHost)])) return true
  // Rebinding needs a name; an address in Host is the address that the client connected to.
  return isWildcard(listenHost) && isIP(bareName(sent ?? '')) !== 0
}

/** No Origin, or that of a page on this machine. A browser sends simple requests of any site, whoever may read the answer. */
export function isOwnOrigin({ host, origin }: RequestHeaders): boolean {
  return checkOrigin({ origin, host, allowedOrigins: [] })
}

function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIP(host) === 6 ? `[${host}]` : host
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function bareName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
}
