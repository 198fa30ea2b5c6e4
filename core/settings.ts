/**
 * The settings of an operator as flows get them: those of core/settings/table.ts, some of them worked into limits.
 * adapters/config and the twin make them once, at start.
 */
import { DAY_MS } from './json/utc-time.ts'
import type { ValuesOf } from './settings/setting.ts'
import type { SETTINGS } from './settings/table.ts'
import { type TierLimits, type Tiers, toTiers } from './settings/tier-limits.ts'

/** A stage's fields that functions read, with their values. */
export type SettingValues = ValuesOf<typeof SETTINGS>

type Digested =
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
  /** Open streams of one key; the next one ends the one longest without a POST. */
  readonly perKeyMax: number
  /** Open streams in all (70 % of the sse function's concurrency). */
  readonly totalMax: number
  /** Of these, anonymous ones (10 %); 0 switches anonymous sessions off. */
  readonly anonymousMax: number
}

/** Every other row of the table is here by its own name. */
export type Settings = Omit<SettingValues, Digested> & {
  readonly version: string
  readonly tiers: Tiers
  readonly streams: StreamLimits
  /** How long the store keeps outcomes of calls; older ones are in the archive only. */
  readonly ledgerHotMs: number
  /** Absent: events of users go nowhere, and none are recorded. */
  readonly events?: {
    /** Micro-credits at or below which a balance is low, where the user has no threshold. */
    readonly lowBalance: number
  }
  /** Public URL of POST /v1/execute for texts that name it; undefined when not known. */
  readonly executeUrl: string | undefined
  /** Public URL of POST /mcp, for texts of the other transport's door; undefined when not known. */
  readonly mcpUrl?: string | undefined
}

/** Limits of a tier; a tier that no setting names gets those of `free`. */
export function tierLimits(settings: Settings, tier: string): TierLimits {
  return (
    (Object.hasOwn(settings.tiers, tier) ? settings.tiers[tier] : undefined) ?? settings.tiers.free
  )
}

/** Share of `sseConcurrency` that streams may take; the rest serves POSTs. */
const STREAMS_SHARE = 0.7
const ANONYMOUS_SHARE = 0.1

/** What the table alone decides. Events are recorded where there is a target, which the sweep alone knows. */
export function digestSettings(
  values: SettingValues,
): Omit<Settings, 'version' | 'events' | 'executeUrl' | 'mcpUrl'> {
  const { anonymousStreams, holdsMax, sseConcurrency, streamsPerKeyMax, tierLimits, ...rest } =
    values
  const { ledgerHotDays, lowBalance, eventTarget, replyTail, storeClient, ...asTheyAre } = rest
  const anonymous = anonymousStreams ? Math.floor(sseConcurrency * ANONYMOUS_SHARE) : 0
  return {
    ...asTheyAre,
    tiers: toTiers(tierLimits, holdsMax),
    streams: {
      perKeyMax: streamsPerKeyMax,
      totalMax: Math.floor(sseConcurrency * STREAMS_SHARE),
      anonymousMax: anonymous,
    },
    ledgerHotMs: ledgerHotDays * DAY_MS,
  }
}
