/** What parent and worker agree on: types and settings, no effects. */
import type { Settings } from '../../core/settings.ts'

/** One store that all workers share. */
export type WorkerStore =
  | { readonly kind: 'dynamodb'; readonly endpoint: string }
  | { readonly kind: 'sqlite'; readonly file: string }

/** A worker's only argument, as JSON. */
export type WorkerSetup = {
  readonly store: WorkerStore
  /** host:port that skills may reach. */
  readonly upstream: string
  /** How far its clock is ahead of the machine's. */
  readonly aheadMs: number
}

/** As deployed (docs/service.md, Holds). */
export const HOLDS_MAX = 32
/** Calls a minute of the tier `counted`; of `free` there is no end to be met. */
export const COUNTED_PER_MINUTE = 60

export function settingsOf({ upstream }: { readonly upstream: string }): Settings {
  return {
    version: 'test',
    prefix: 'sg',
    tiers: {
      free: { callsPerMinute: 1_000_000, holdsMax: HOLDS_MAX },
      counted: { callsPerMinute: COUNTED_PER_MINUTE, holdsMax: HOLDS_MAX },
    },
    streams: { perKeyMax: 20, totalMax: 100, anonymousMax: 10 },
    allowedOrigins: [],
    outboundAllow: [upstream],
    executeUrl: undefined,
  }
}
