/** What parent and worker agree on: settings, and the time. */

import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { createSleepingClock } from '../../bench/lib/sleeping-clock.ts'
import type { Clock } from '../../core/ports/outside.ts'
import { listDefaults } from '../../core/settings/read-setting.ts'
import { SETTINGS as ROWS } from '../../core/settings/table.ts'
import { convertSettings, type Settings } from '../../core/settings.ts'

/** One store that all workers share. */
export type WorkerStore = { readonly endpoint: string }

/** A worker's only argument, as JSON. */
export type WorkerSetup = {
  readonly store: WorkerStore
  /** host:port that skills may reach. */
  readonly upstream: string
  /** When the fleet began, by the machine's clock, and what its own clock said then. */
  readonly beganMs: number
  readonly firstMs: number
}

/**
 * How many times slower the fleet's clock runs: five hundred calls at once on a busy machine take longer than
 * their 15 s, and than the rest of a minute.
 */
const SLOWER = 20

/**
 * The clock of the whole fleet: it begins with a minute and is slow, so that neither the deadline of a call
 * nor the end of a minute comes among calls that wait for the machine.
 */
export function fleetClock({ beganMs, firstMs }: WorkerSetup): Clock {
  const real = systemClock()
  return createSleepingClock({
    nowMs: () => Math.floor(firstMs + (real.nowMs() - beganMs) / SLOWER),
    sleep: (ms, signal) => real.sleep(ms * SLOWER, signal),
  })
}

/** As deployed (docs/service.md, Holds). */
export const HOLDS_MAX = 32
/** Calls a minute of the tier `counted`; tier `free` has a limit that no test reaches. */
export const COUNTED_PER_MINUTE = 60

export function settingsOf({ upstream }: { readonly upstream: string }): Settings {
  return {
    ...convertSettings(listDefaults(ROWS)),
    version: 'test',
    tiers: {
      free: { callsPerMinute: 1_000_000, holdsMax: HOLDS_MAX },
      counted: { callsPerMinute: COUNTED_PER_MINUTE, holdsMax: HOLDS_MAX },
    },
    streams: { perKeyMax: 20, totalMax: 100, anonymousMax: 10 },
    announceToolChanges: true,
    outboundAllow: [upstream],
    executeUrl: undefined,
  }
}
