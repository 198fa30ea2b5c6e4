/** The twin's settings: limits for a laptop, where one person is every user. */
import { VERSION } from '../../adapters/config/version.ts'
import { DAY_MS } from '../../core/json/utc-time.ts'
import type { Settings } from '../../core/settings.ts'
import type { Options } from './option-table.ts'

/**
 * The deployed limit (docs/service.md, Holds) of one user's calls that may hold credits at once.
 */
const HOLDS_MAX = 32
/** The deployed limit for users of this tier. */
const PRO_CALLS_PER_MINUTE = 600
/** The deployed limit of one key's open streams. */
const STREAMS_PER_KEY_MAX = 20
/** More than agents and tests on one machine open; sockets bound them, not concurrency. */
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
    callExcerpts: true,
    ledgerHotMs: hotMsOf(options),
    ...(options.events === undefined ? {} : { events: { lowBalance: options.lowBalance } }),
    // Pages on loopback may use a door on loopback without an entry here.
    allowedOrigins: [],
    outboundAllow: [ownHost(origin), ...options.outboundAllow],
    executeUrl: `${origin}/v1/execute`,
    mcpUrl: `${origin}/mcp`,
  }
}

export function hotMsOf({ ledgerHotDays }: Pick<Options, 'ledgerHotDays'>): number {
  return ledgerHotDays * DAY_MS
}

/** With its port even where that is 80: a host alone would allow all ports of this machine. */
function ownHost(origin: string): string {
  const { hostname, port } = new URL(origin)
  return `${hostname}:${port || '80'}`
}
