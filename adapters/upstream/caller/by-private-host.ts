/**
 * Sends requests for private hosts through the function caller and all others from here. Every kind
 * of upstream over HTTP is sent by this one, so all of them reach private hosts.
 */
import type { Upstream } from '../../../core/ports/outside.ts'
import { isListed } from '../../../core/request/check-target.ts'

export function upstreamByPrivateHost(
  http: Upstream,
  caller: Upstream,
  privateHosts: readonly string[],
): Upstream {
  return {
    send: (request, limits) => {
      const url = URL.parse(request.url)
      const isPrivate = url !== null && isListed(url, privateHosts)
      return (isPrivate ? caller : http).send(request, limits)
    },
  }
}
