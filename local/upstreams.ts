/** The upstreams of the twin, by the kind that a skill names. */
import { previewsByTarget, upstreamByTarget } from '../adapters/upstream/by-target.ts'
import { httpUpstream } from '../adapters/upstream/http-upstream.ts'
import { signedUpstream } from '../adapters/upstream/signed-upstream.ts'
import { makeUpstreamPreviews } from '../adapters/upstream/upstream-previews.ts'
import { makeLatePort } from '../core/cache/late-port.ts'
import { loadOnce } from '../core/cache/load-once.ts'
import type { Clock, Log } from '../core/ports/outside.ts'
import type { Ports } from '../core/ports/ports.ts'
import type { Settings } from '../core/settings.ts'
import { createMcpPorts } from '../lambdas/call/mcp-ports.ts'
import type { OpenedParts } from './opened-parts.ts'

type Needs = {
  readonly clock: Clock
  readonly log: Log
  readonly settings: Settings
  readonly upstreamSessions: Ports['upstreamSessions']
}

/** Adds their connections to `opened`. */
export function openUpstreams(
  opened: OpenedParts,
  { clock, log, settings, upstreamSessions }: Needs,
): Pick<Ports, 'mcpServers' | 'upstream' | 'upstreamPreviews'> {
  const http = httpUpstream({ outboundAllow: settings.outboundAllow })
  opened.add(() => http.close())
  const signed = signedUpstream({ http, clock, log, rules: settings })
  opened.add(() => signed.close())
  const lambda = loadOnce(async () => {
    const { createLambdaPartsOfTerminal } = await import('../adapters/upstream/late-lambda.ts')
    return createLambdaPartsOfTerminal()
  })
  const { mcpServers, mcpTools } = createMcpPorts(
    { clock, upstream: upstreamByTarget({ http, signed }), upstreamSessions },
    settings,
  )
  return {
    mcpServers,
    upstream: upstreamByTarget({
      http,
      mcp: mcpTools,
      signed,
      lambda: makeLatePort(async () => (await lambda()).upstream),
    }),
    upstreamPreviews: previewsByTarget({
      http: makeUpstreamPreviews(settings),
      lambda: makeLatePort(async () => (await lambda()).previews),
    }),
  }
}
