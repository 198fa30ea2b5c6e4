/**
 * Judges a stage before anything is built from it: one line per fault, with field, value and
 * remedy. Settings that become environment variables have the ranges of adapters/config, which lib/
 * may not import; test/lib/door-environment.test.ts checks the synthesized values with the real
 * reader.
 */
import { isIP } from 'node:net'
import { WAITING_MB } from './door-sizes.ts'
import type { Stage, TierLimit } from './stage.ts'

/** Below 10 the share of anonymous streams would be 0, and POSTs would find no concurrency. */
export const SSE_CONCURRENCY_MIN = 10
export const SSE_CONCURRENCY_MAX = 100_000
export const STREAMS_PER_KEY_MAX_MAX = 1_000
/** Holds are stored in the profile: more of them would make each call's write expensive. */
export const HOLDS_MAX_MAX = 200
export const CALLS_PER_MINUTE_MAX = 1_000_000
export const LIST_ENTRIES_MAX = 100
/** Lambda allows 4 kB of environment variables in all; the rest is names and URLs. */
export const LISTS_BYTES_MAX = 2_048
/** API Gateway's own limits of an account and region. */
export const ADMIN_REQUESTS_PER_SEC_MAX = 10_000
export const ADMIN_REQUESTS_BURST_MAX = 5_000
/** API Gateway takes a resource policy of 8 kB; so many of the longest blocks fit. */
export const ADMIN_CIDRS_MAX = 64
export const MONTHLY_BUDGET_USD_MAX = 1_000_000
/** Lambda's own limit; a new account may have 3,008. */
export const CALL_MEMORY_MB_MAX = 10_240
/** DynamoDB's default quota of a table, on demand or provisioned. */
export const TABLE_UNITS_PER_SEC_MAX = 40_000
/** Time to mend an archive that failed, before the table forgets. */
export const LEDGER_HOT_DAYS_MIN = 7
export const LEDGER_HOT_DAYS_MAX = 3_650
/** Credits that a user may have at most. */
export const LOW_BALANCE_MAX = 100_000_000
/** The values that CloudWatch Logs accepts. */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
] as const

const PREFIX = /^[a-z][a-z0-9]{0,15}$/
const EVENT_BUS = /^bus:[A-Za-z0-9/_.-]{1,256}$/
const EVENT_WEBHOOK = /^https:\/\/[^\s@]{1,2000}$/
const LOW_BALANCE = /^\d{1,9}(?:\.\d{1,6})?$/
const MAIL = /^[^@\s,;]+@[^@\s,;]+$/
const TIER = /^[A-Za-z0-9_-]{1,64}$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/i
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i

export function stageFaults(stage: Stage): readonly string[] {
  return [
    ...unless(
      PREFIX.test(stage.prefix),
      'prefix',
      stage.prefix,
      '1 to 16 characters of a-z and 0-9, a letter first',
    ),
    ...whole('holdsMax', stage.holdsMax, 1, HOLDS_MAX_MAX),
    ...whole('sseConcurrency', stage.sseConcurrency, SSE_CONCURRENCY_MIN, SSE_CONCURRENCY_MAX),
    ...whole('streamsPerKeyMax', stage.streamsPerKeyMax, 1, STREAMS_PER_KEY_MAX_MAX),
    ...stage.tierLimits.flatMap(tierFaults),
    ...listFaults('allowedOrigins', stage.allowedOrigins, ORIGINS),
    ...listFaults('outboundAllow', stage.outboundAllow, HOSTS),
    ...listsFaults(stage),
    ...reservationFaults(stage),
    ...whole('accountConcurrency', stage.accountConcurrency, 10, SSE_CONCURRENCY_MAX),
    ...whole('callMemoryMb', stage.callMemoryMb, WAITING_MB, CALL_MEMORY_MB_MAX),
    ...tableFaults(stage),
    ...removalFaults(stage),
    ...retentionFaults(stage.logRetentionDays),
    ...whole('ledgerHotDays', stage.ledgerHotDays, LEDGER_HOT_DAYS_MIN, LEDGER_HOT_DAYS_MAX),
    ...whole('adminRequestsPerSec', stage.adminRequestsPerSec, 1, ADMIN_REQUESTS_PER_SEC_MAX),
    ...whole('adminRequestsBurst', stage.adminRequestsBurst, 1, ADMIN_REQUESTS_BURST_MAX),
    ...listFaults('adminAllowedCidrs', stage.adminAllowedCidrs, CIDRS),
    ...mailFaults(stage.alarmEmail),
    ...budgetFaults(stage),
    ...eventFaults(stage),
  ]
}

function tierFaults({ tier, callsPerMinute, callsInFlight = 1 }: TierLimit): readonly string[] {
  const at = `tierLimits.${tier}`
  return [
    ...unless(
      TIER.test(tier),
      'tierLimits.tier',
      tier,
      '1 to 64 characters of A-Z, a-z, 0-9, _ and -',
    ),
    ...whole(`${at}.callsPerMinute`, callsPerMinute, 1, CALLS_PER_MINUTE_MAX),
    ...whole(`${at}.callsInFlight`, callsInFlight, 1, HOLDS_MAX_MAX),
  ]
}

/** The rule for an entry of a list, in code and in words, and the most entries allowed. */
type ListRule = {
  readonly fits: (entry: string) => boolean
  readonly rule: string
  readonly entriesMax: number
}

const ORIGINS: ListRule = {
  fits: isOrigin,
  rule: 'an origin such as https://app.example',
  entriesMax: LIST_ENTRIES_MAX,
}
const HOSTS: ListRule = {
  fits: isHostAndPort,
  rule: 'HOST or HOST:PORT',
  entriesMax: LIST_ENTRIES_MAX,
}
const CIDRS: ListRule = {
  fits: isCidr,
  rule: 'a block such as 203.0.113.0/24 or 2001:db8::/32',
  entriesMax: ADMIN_CIDRS_MAX,
}

function listFaults(
  field: string,
  entries: readonly string[],
  { entriesMax, fits, rule }: ListRule,
): readonly string[] {
  const wrong = entries.flatMap((entry) => unless(fits(entry), field, entry, rule))
  if (entries.length <= entriesMax) return wrong
  return [...wrong, `${field}: has ${entries.length} entries; give at most ${entriesMax}`]
}

/** They become environment variables; Lambda would refuse them late and without naming them. */
function listsFaults(stage: Stage): readonly string[] {
  const text = [...stage.allowedOrigins, ...stage.outboundAllow, ...stage.tierLimits.map(tierText)]
  const bytes = Buffer.byteLength(text.join(','))
  if (bytes <= LISTS_BYTES_MAX) return []
  return [
    `allowedOrigins, outboundAllow, tierLimits: take ${bytes} bytes together; shorten them to ${LISTS_BYTES_MAX}`,
  ]
}

/** The form in which adapters/config reads one entry of TIER_LIMITS. */
export function tierText({ tier, callsPerMinute, callsInFlight }: TierLimit): string {
  const calls = `${tier}:${callsPerMinute}`
  return callsInFlight === undefined ? calls : `${calls}:${callsInFlight}`
}

function reservationFaults({ reservedConcurrency = {}, sseConcurrency }: Stage): readonly string[] {
  const ranges = Object.entries(reservedConcurrency).flatMap(([door, count]) =>
    whole(`reservedConcurrency.${door}`, count, 1, SSE_CONCURRENCY_MAX),
  )
  const { sse, messages, mcp } = reservedConcurrency
  const shares =
    sse === undefined || sse === sseConcurrency
      ? []
      : [`reservedConcurrency.sse: is ${sse} and sseConcurrency ${sseConcurrency}; give one number`]
  // Each POST that sse accepts goes to messages at once, which must have concurrency for it.
  const room =
    messages === undefined || messages >= sseConcurrency
      ? []
      : [
          `reservedConcurrency.messages: is ${messages}; give at least sseConcurrency (${sseConcurrency}), or none`,
        ]
  // All open streams may be listen streams: 70 % of sseConcurrency; calls need the rest.
  const listening =
    mcp === undefined || mcp >= sseConcurrency
      ? []
      : [
          `reservedConcurrency.mcp: is ${mcp}; give at least sseConcurrency (${sseConcurrency}), or none`,
        ]
  return [...ranges, ...shares, ...room, ...listening]
}

function tableFaults({
  capacity,
  provisionedUnitsMin,
  tableUnitsPerSec,
}: Stage): readonly string[] {
  const mostFaults = Object.entries(tableUnitsPerSec ?? {}).flatMap(([kind, units]) =>
    whole(`tableUnitsPerSec.${kind}`, units, 1, TABLE_UNITS_PER_SEC_MAX),
  )
  if (capacity === 'on-demand' || mostFaults.length > 0) return mostFaults
  return (['write', 'read'] as const).flatMap((kind) => {
    const most = tableUnitsPerSec?.[kind] ?? TABLE_UNITS_PER_SEC_MAX
    return whole(`provisionedUnitsMin.${kind}`, provisionedUnitsMin[kind], 1, most)
  })
}

/** A protected table would make a `destroy` fail halfway. */
function removalFaults({ retainData, deletionProtection }: Stage): readonly string[] {
  if (retainData || !deletionProtection) return []
  return ['retainData: is false and deletionProtection true; keep the data or protect nothing']
}

function budgetFaults({ monthlyBudgetUsd, alarmEmail }: Stage): readonly string[] {
  if (monthlyBudgetUsd === undefined) return []
  const range = whole('monthlyBudgetUsd', monthlyBudgetUsd, 1, MONTHLY_BUDGET_USD_MAX)
  if (alarmEmail !== undefined) return range
  return [...range, 'monthlyBudgetUsd: has nobody to mail; give alarmEmail, too']
}

/** The forms that adapters/config/event-target.ts reads; an http URL is for hosts of the twin alone. */
function eventFaults({ eventTarget, lowBalance }: Stage): readonly string[] {
  const fits =
    eventTarget === undefined ||
    EVENT_BUS.test(eventTarget) ||
    (EVENT_WEBHOOK.test(eventTarget) && URL.canParse(eventTarget))
  return [
    ...unless(fits, 'eventTarget', eventTarget, 'an https URL, or bus:NAME for an event bus'),
    ...unless(
      LOW_BALANCE.test(String(lowBalance)) && lowBalance <= LOW_BALANCE_MAX,
      'lowBalance',
      lowBalance,
      `credits from 0 to ${LOW_BALANCE_MAX} with at most 6 decimals`,
    ),
  ]
}

function retentionFaults(days: number): readonly string[] {
  const fits = LOG_RETENTION_DAYS.some((one) => one === days)
  return unless(fits, 'logRetentionDays', days, `one of ${LOG_RETENTION_DAYS.join(', ')}`)
}

function mailFaults(address: string | undefined): readonly string[] {
  const fits = address === undefined || MAIL.test(address)
  return unless(fits, 'alarmEmail', address, 'one address, or undefined')
}

function whole(field: string, value: number, min: number, max: number): readonly string[] {
  const fits = Number.isInteger(value) && value >= min && value <= max
  return unless(fits, field, value, `a whole number from ${min} to ${max}`)
}

function unless(fits: boolean, field: string, value: unknown, rule: string): readonly string[] {
  return fits ? [] : [`${field}: is ${JSON.stringify(value)}; give ${rule}`]
}

function isOrigin(text: string): boolean {
  return text === '*' || (ORIGIN.test(text) && URL.canParse(text))
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const bitsMax = isIP(address) === 4 ? 32 : 128
  return more.length === 0 && isIP(address) > 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax
}

function isHostAndPort(text: string): boolean {
  return HOST_AND_PORT.test(text) && URL.canParse(`http://${text}`)
}
