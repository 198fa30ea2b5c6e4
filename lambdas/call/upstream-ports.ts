/**
 * The upstreams of calls on AWS, by the kind that a skill names. Only HTTP APIs are opened at the
 * start of a function; the code of the other kinds is loaded with their first call.
 */
import type { CallerConfig, Config } from '../../adapters/config/config.ts'
import { previewsByTarget, upstreamByTarget } from '../../adapters/upstream/by-target.ts'
import { upstreamByPrivateHost } from '../../adapters/upstream/caller/by-private-host.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { Clock, Log, Upstream } from '../../core/ports/outside.ts'
import type { Ports } from '../../core/ports/ports.ts'

type Needs = {
  readonly clock: Clock
  readonly config: Pick<Config, 'caller' | 'settings'>
  readonly log: Log
  /** Those of HTTP APIs. */
  readonly previews: Ports['upstreamPreviews']
  readonly upstreamSessions: Ports['upstreamSessions']
}

export function createUpstreamPorts({ clock, config, log, previews, upstreamSessions }: Needs) {
  const http = openHttp(config, clock)
  const { outboundAllow, signedAccess } = config.settings
  const signed = makeLatePort<Upstream>(
    loadOnce(async () => {
      const { signedUpstream } = await import('../../adapters/upstream/signed-upstream.ts')
      return signedUpstream({ http, clock, log, rules: { outboundAllow, signedAccess } })
    }),
  )
  const loadLambdaParts = loadOnce(async () => {
    const { createLambdaParts } = await import('../../adapters/upstream/late-lambda.ts')
    return createLambdaParts()
  })
  const loadMcpPorts = loadOnce(async () => {
    const { createMcpPorts } = await import('./mcp-ports.ts')
    const upstream = upstreamByTarget({ http, signed })
    return createMcpPorts({ clock, upstream, upstreamSessions }, config.settings)
  })
  return {
    mcpServers: makeLatePort(async () => (await loadMcpPorts()).mcpServers),
    upstream: upstreamByTarget({
      http,
      lambda: makeLatePort(async () => (await loadLambdaParts()).upstream),
      mcp: makeLatePort(async () => (await loadMcpPorts()).mcpTools),
      signed,
    }),
    upstreamPreviews: previewsByTarget({
      http: previews,
      lambda: makeLatePort(async () => (await loadLambdaParts()).previews),
    }),
  }
}

function openHttp({ caller, settings }: Needs['config'], clock: Clock): Upstream {
  const direct = httpUpstream({ outboundAllow: settings.outboundAllow })
  if (caller === undefined) return direct
  return upstreamByPrivateHost(direct, latePrivateUpstream(caller, clock), settings.privateHosts)
}

function latePrivateUpstream(caller: CallerConfig, clock: Clock): Upstream {
  return makeLatePort(
    loadOnce(async () => {
      const { privateUpstream } = await import('../../adapters/upstream/caller/private-upstream.ts')
      return privateUpstream(caller, () => clock.nowMs())
    }),
  )
}
