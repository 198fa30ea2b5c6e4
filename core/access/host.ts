/**
 * Whether a request was meant for this host. A web page can reach a loopback server under a host
 * name that its author points at 127.0.0.1 (DNS rebinding). Host then holds that name, so it must
 * be ours.
 */

/** Bytes: 253 of a host name, brackets, and a port. */
const HOST_LENGTH_MAX = 300
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\],]+)(?::(\d{1,5}))?$/i
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

type HostAndPort = { readonly name: string; readonly port: string | undefined }

/**
 * `ownHosts` are `host` (any port) or `host:port`. A request without Host is refused: HTTP/1.1
 * demands it, and every browser sends it.
 */
export function checkHost(host: string | undefined, ownHosts: readonly string[]): boolean {
  const sent = readHost(host)
  if (sent === undefined) return false
  return ownHosts.some((entry) => {
    const own = readHost(entry)
    if (own?.name !== sent.name) return false
    return own.port === undefined || own.port === sent.port
  })
}

/** localhost, 127.0.0.1 or [::1], with or without a port. */
export function isLoopbackHost(host: string | undefined): boolean {
  return LOOPBACK.has(readHost(host)?.name ?? '')
}

function readHost(host: string | undefined): HostAndPort | undefined {
  if (host === undefined || host.length > HOST_LENGTH_MAX) return undefined
  const match = HOST.exec(host)
  const name = match?.[1]?.toLowerCase()
  return name === undefined ? undefined : { name, port: match?.[2] }
}
