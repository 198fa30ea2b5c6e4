/**
 * The settings of an operator as flows get them: those of core/settings/table.ts, some of them
 * converted into limits. adapters/config and the twin make them once, at start.
 */
import { DAY_MS } from './json/utc-time.ts'
import type { ValuesOf } from './settings/setting.ts'
import type { SETTINGS } from './settings/table.ts'
import { type TierLimits, type Tiers, toTiers } from './settings/tier-limits.ts'

/** A stage's fields that functions read, with their values. */
export type SettingValues = ValuesOf<typeof SETTINGS>

type ConvertedRow =
  | 'tierLimits'
  | 'holdsMax'
  | 'sseConcurrency'
  | 'streamsPerKeyMax'
  | 'anonymousStreams'
  | 'ledgerHotDays'
  | 'lowBalance'
  | 'eventTarget'
  | 'replyTail'
  | 'storeClient'

export type StreamLimits = {
  /**
   * Open streams of one key. One more ends the stream with the longest time since its last POST.
   */
  readonly perKeyMax: number
  /** All open streams: 70 % of the sse function's concurrency. */
  readonly totalMax: number
  /** Anonymous streams among these (10 %); 0 switches anonymous sessions off. */
  readonly anonymousMax: number
}

/** Every other row of the table is a member under its own name. */
export type Settings = Omit<SettingValues, ConvertedRow> & {
  readonly version: string
  readonly tiers: Tiers
  readonly streams: StreamLimits
  /** How long the store keeps outcomes of calls; older ones are in the archive only. */
  readonly ledgerHotMs: number
  /** Absent if events of users are sent nowhere; then none are recorded. */
  readonly events?: {
    /** Micro-credits. A balance at or below this is low, unless the user has another threshold. */
    readonly lowBalance: number
  }
  /** Public URL of POST /v1/execute for texts that name it; undefined if unknown. */
  readonly executeUrl: string | undefined
  /** Public URL of POST /mcp for texts of the other transport's door; undefined if unknown. */
  readonly mcpUrl?: string | undefined
}

/** The limits of a tier. A tier that no setting names has those of `free`. */
export function tierLimits(settings: Settings, tier: string): TierLimits {
  return (
    (Object.hasOwn(settings.tiers, tier) ? settings.tiers[tier] : undefined) ?? settings.tiers.free
  )
}

/** Share of `sseConcurrency` that streams may take; the rest serves POSTs. */
const STREAMS_SHARE = 0.7
const ANONYMOUS_SHARE = 0.1

/**
 * The settings that follow from the table alone. `events` is missing, because only the sweep has
 * the event target.
 */
export function digestSettings(
  values: SettingValues,
): Omit<Settings, 'version' | 'events' | 'executeUrl' | 'mcpUrl'> {
  const { anonymousStreams, holdsMax, sseConcurrency, streamsPerKeyMax, tierLimits, ...rest } =
    values
  const { ledgerHotDays, lowBalance, eventTarget, replyTail, storeClient, ...unchanged } = rest
  const anonymous = anonymousStreams ? Math.floor(sseConcurrency * ANONYMOUS_SHARE) : 0
  return {
    ...unchanged,
    tiers: toTiers(tierLimits, holdsMax),
    streams: {
      perKeyMax: streamsPerKeyMax,
      totalMax: Math.floor(sseConcurrency * STREAMS_SHARE),
      anonymousMax: anonymous,
    },
    ledgerHotMs: ledgerHotDays * DAY_MS,
  }
}
