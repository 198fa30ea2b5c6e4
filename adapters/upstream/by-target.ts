/**
 * Sends each request by what its skill names: an HTTP API, an AWS API, a Lambda function, a tool of
 * an MCP server. All but the first are late: their code is loaded with the first such call.
 */
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import type { Upstream, UpstreamPreviews } from '../../core/ports/outside.ts'

export type UpstreamsByTarget = {
  readonly http: Upstream
  /** For requests with `signing`, those to functions and MCP servers included. */
  readonly signed?: Upstream
  readonly lambda?: Upstream
  readonly mcp?: Upstream
}

/** A kind that is left out refuses its requests; nothing is sent. */
export function upstreamByTarget(upstreams: UpstreamsByTarget): Upstream {
  return {
    send: (request, limits) => {
      const target = pickTarget(request)
      const upstream = upstreams[target]
      if (upstream !== undefined) return upstream.send(request, limits)
      const detail = `this function cannot call ${target} upstreams`
      return Promise.resolve({ kind: 'refused_target', detail })
    },
  }
}

/** Shows each request as the upstream of its kind would send it. */
export function previewsByTarget(previews: {
  readonly http: UpstreamPreviews
  readonly lambda: UpstreamPreviews
}): UpstreamPreviews {
  const pick = ({ lambda }: Pick<UpstreamRequest, 'lambda'>) =>
    lambda === undefined ? previews.http : previews.lambda
  return {
    target: (to) => pick(to).target(to),
    head: (request) => pick(request).head(request),
  }
}

function pickTarget({ lambda, mcp, signing }: UpstreamRequest): keyof UpstreamsByTarget {
  if (mcp !== undefined) return 'mcp'
  if (lambda !== undefined) return 'lambda'
  return signing === undefined ? 'http' : 'signed'
}
