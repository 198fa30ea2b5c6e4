/**
 * The operator's settings as flows get them: the values of core/settings/table.ts, some of them
 * converted to limits. adapters/config and the twin make them once, at start.
 */
import type { Issuer } from './issuers/issuer.ts'
import { toIssuer } from './issuers/issuer-setting.ts'
import { DAY_MS, HOUR_MS } from './json/utc-time.ts'
import { type CreditPrice, parseCreditPrice } from './settings/credit-price.ts'
import type { ValuesOf } from './settings/setting.ts'
import type { SETTINGS } from './settings/table.ts'
import { type TierLimits, type Tiers, toTiers } from './settings/tier-limits.ts'

/** A stage's fields that functions read, with their values. */
export type SettingValues = ValuesOf<typeof SETTINGS>

/** Settings that {@link digestSettings} converts; all others keep their name and value. */
type ConvertedSetting =
  | 'tierLimits'
  | 'holdsMax'
  | 'sseConcurrency'
  | 'streamsPerKeyMax'
  | 'anonymousStreams'
  | 'callLogSampling'
  | 'creditPrice'
  | 'ledgerHotDays'
  | 'lowBalance'
  | 'eventTargets'
  | 'eventsFrom'
  | 'replyTail'
  | 'storeClient'
  | 'login'
  | 'loginRedirects'
  | 'issuers'
  | 'loginTokenHours'
  | 'restoresChallenge'
  | 'lambdaUpstreams'

export type StreamLimits = {
  /** Open streams of one key. One more ends the stream whose last POST is the oldest. */
  readonly perKeyMax: number
  /** All open streams: 70 % of the sse function's concurrency. */
  readonly totalMax: number
  /** Anonymous streams among these (10 %); 0 switches anonymous sessions off. */
  readonly anonymousMax: number
}

/** How people log in. Bound by docs/login.md. */
export type LoginSettings = {
  /** The origin of `/mcp` and of the login, without a path or a slash at the end. */
  readonly issuer: string
  /** Hosts that may get codes, besides loopback and known callbacks. */
  readonly redirectHosts: readonly string[]
  /** How long an access token is valid. It ends earlier with its key or its login. */
  readonly tokenLifeMs: number
}

/** Contains every other row of the table under its own name. */
export type Settings = Omit<SettingValues, ConvertedSetting> & {
  readonly version: string
  readonly tiers: Tiers
  readonly streams: StreamLimits
  /** How long the store keeps outcomes of calls. Older outcomes are only in the archive. */
  readonly ledgerHotMs: number
  /**
   * Lambda functions that skills may invoke; undefined where no role limits them, as in the twin.
   */
  readonly lambdaUpstreams?: readonly string[]
  /** Absent when no target is set; then no events of users are recorded. */
  readonly events?: {
    /** Micro-credits. A balance at or below them is low, unless the user has a threshold. */
    readonly lowBalance: number
  }
  /** What a credit costs; absent if the operator has no price. */
  readonly creditPrice?: CreditPrice
  /** Authorization servers whose tokens are accepted. */
  readonly issuers: readonly Issuer[]
  /** True if clients do not see WWW-Authenticate, which function URLs rename. */
  readonly renamesChallenge: boolean
  /** Absent while nobody can log in with the gateway's own login. */
  readonly login?: LoginSettings
  /** Public URL of POST /v1/execute for texts that name the route; undefined when unknown. */
  readonly executeUrl: string | undefined
  /** Public URL of POST /mcp for texts of the HTTP+SSE door; undefined when unknown. */
  readonly mcpUrl?: string | undefined
  /** Public URL of MCP over HTTP+SSE for people who connect a client; undefined when unknown. */
  readonly sseUrl?: string | undefined
  /** URL of the admin API; undefined if only each request says which domain it reached. */
  readonly adminUrl?: string | undefined
  /** Set by the twin, which costs nothing on AWS. */
  readonly isTwin?: true
}

/** Returns the limits of a tier. A tier without a setting gets the limits of `free`. */
export function findTierLimits(settings: Settings, tier: string): TierLimits {
  return (
    (Object.hasOwn(settings.tiers, tier) ? settings.tiers[tier] : undefined) ?? settings.tiers.free
  )
}

/** Share of `sseConcurrency` that streams may use. The rest serves POSTs. */
const STREAMS_SHARE = 0.7
const ANONYMOUS_SHARE = 0.1

/**
 * Makes the settings that depend on the table alone. `events` is not one of them: it also depends
 * on the event target, which only the sweep reads.
 */
export function convertSettings(
  values: SettingValues,
): Omit<Settings, 'version' | 'events' | 'executeUrl' | 'mcpUrl'> {
  const { anonymousStreams, holdsMax, sseConcurrency, streamsPerKeyMax, tierLimits, ...rest } =
    values
  const {
    callLogSampling,
    creditPrice,
    ledgerHotDays,
    lowBalance,
    eventTargets,
    eventsFrom,
    replyTail,
    storeClient,
    ...others
  } = rest
  const { issuers, login, loginRedirects, loginTokenHours, restoresChallenge, ...unchanged } =
    others
  const { publicOrigin } = unchanged
  const price = creditPrice === undefined ? undefined : parseCreditPrice(creditPrice)
  const anonymous = anonymousStreams ? Math.floor(sseConcurrency * ANONYMOUS_SHARE) : 0
  return {
    ...unchanged,
    issuers: issuers.map(toIssuer),
    renamesChallenge: !restoresChallenge,
    tiers: toTiers(tierLimits, holdsMax),
    streams: {
      perKeyMax: streamsPerKeyMax,
      totalMax: Math.floor(sseConcurrency * STREAMS_SHARE),
      anonymousMax: anonymous,
    },
    ledgerHotMs: ledgerHotDays * DAY_MS,
    ...(price === undefined ? {} : { creditPrice: price }),
    ...(login && publicOrigin !== undefined
      ? {
          login: {
            issuer: publicOrigin,
            redirectHosts: loginRedirects,
            tokenLifeMs: loginTokenHours * HOUR_MS,
          },
        }
      : {}),
  }
}
