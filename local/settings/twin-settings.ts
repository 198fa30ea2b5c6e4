/** The twin's settings: limits for a laptop, where one person is every user. */
import { VERSION } from '../../adapters/config/version.ts'
import { DAY_MS } from '../../core/json/utc-time.ts'
import { toMicroCredits } from '../../core/ledger/amount.ts'
import { listDefaults } from '../../core/settings/read-setting.ts'
import { SETTINGS } from '../../core/settings/table.ts'
import { convertSettings, type Settings } from '../../core/settings.ts'
import type { Options } from './option-table.ts'

/**
 * Most streams, more than agents and tests on one machine open; sockets limit them, not
 * concurrency.
 */
const STREAMS_MAX = 1_000
const ANONYMOUS_STREAMS_MAX = 100

/** Returns the settings for these options. `origin` is the twin's own. */
export function toTwinSettings(options: Options, origin: string): Settings {
  const shared = Object.entries(options).filter(([name]) => name in SETTINGS)
  const publicOrigin = options.publicOrigin ?? origin
  const values = { ...listDefaults(SETTINGS), ...Object.fromEntries(shared), publicOrigin }
  const free = { tier: 'free', callsPerMinute: options.callsPerMinute }
  const { lambdaUpstreams: _, ...digested } = convertSettings({ ...values, tierLimits: [free] })
  const events = { lowBalance: toMicroCredits(options.lowBalance) }
  return {
    ...digested,
    version: VERSION,
    streams: {
      ...digested.streams,
      totalMax: STREAMS_MAX,
      anonymousMax: ANONYMOUS_STREAMS_MAX,
    },
    // An open stream costs nothing on a laptop.
    announceToolChanges: true,
    ...(options.eventTargets.length === 0 ? {} : { events }),
    renamesChallenge: false,
    // Pages on loopback may use a door on loopback without an entry here.
    allowedOrigins: [],
    outboundAllow: [toOwnHost(origin), ...options.outboundAllow],
    executeUrl: `${origin}/v1/execute`,
    mcpUrl: `${origin}/mcp`,
    sseUrl: `${origin}/v1/mcp/sse`,
    adminUrl: `${origin}/v1/admin`,
    isTwin: true,
  }
}

/** Returns how long the store keeps ended calls, in milliseconds. */
export function toHotMs({ ledgerHotDays }: Pick<Options, 'ledgerHotDays'>): number {
  return ledgerHotDays * DAY_MS
}

/**
 * Returns the host with its port, even if that is 80, because a host alone would allow all ports of
 * this machine.
 */
function toOwnHost(origin: string): string {
  const { hostname, port } = new URL(origin)
  return `${hostname}:${port || '80'}`
}
