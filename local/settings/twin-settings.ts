/** The twin's settings: limits of a laptop, where one person is every user. */
import { VERSION } from '../../adapters/config/version.ts'
import type { Settings } from '../../core/settings.ts'
import type { Options } from './option-table.ts'

/** As deployed (docs/service.md, Holds): calls of one user that may hold credits at once. */
const HOLDS_MAX = 32
/** As deployed: for users made with this tier. */
const PRO_CALLS_PER_MINUTE = 600
/** As deployed: open streams of one key. */
const STREAMS_PER_KEY_MAX = 20
/** More than agents and tests on one machine open; bounded by sockets, not by concurrency. */
const STREAMS_MAX = 1_000
const ANONYMOUS_STREAMS_MAX = 100

export function twinSettings(options: Options, origin: string): Settings {
  return {
    version: VERSION,
    prefix: options.prefix,
    tiers: {
      free: { callsPerMinute: options.callsPerMinute, holdsMax: HOLDS_MAX },
      pro: { callsPerMinute: PRO_CALLS_PER_MINUTE, holdsMax: HOLDS_MAX },
    },
    streams: {
      perKeyMax: STREAMS_PER_KEY_MAX,
      totalMax: STREAMS_MAX,
      anonymousMax: ANONYMOUS_STREAMS_MAX,
    },
    // An open stream costs nothing here.
    announceToolChanges: true,
    // Pages on loopback may use a door on loopback without being named.
    allowedOrigins: [],
    outboundAllow: [ownHost(origin), ...options.outboundAllow],
    executeUrl: `${origin}/v1/execute`,
    mcpUrl: `${origin}/mcp`,
  }
}

/** With its port even where that is 80: a host alone would allow all ports of this machine. */
function ownHost(origin: string): string {
  const { hostname, port } = new URL(origin)
  return `${hostname}:${port || '80'}`
}
