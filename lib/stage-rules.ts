/**
 * Judges a stage before anything is built from it: one line per fault, with the field, what it is,
 * and the remedy. The ranges of what becomes a function's environment are those of adapters/config,
 * which lib/ may not import: test/lib/door-environment.test.ts reads what is synthesized with the
 * real reader.
 */
import type { Stage, TierLimit } from './stage.ts'

/** Below 10 the share of anonymous streams would be none, and POSTs would find no room. */
export const SSE_CONCURRENCY_MIN = 10
export const SSE_CONCURRENCY_MAX = 100_000
export const STREAMS_PER_KEY_MAX_MAX = 1_000
/** A profile holds its holds: more of them would make each call's write dear. */
export const HOLDS_MAX_MAX = 200
export const CALLS_PER_MINUTE_MAX = 1_000_000
export const LIST_ENTRIES_MAX = 100
/** Lambda takes 4 kB of environment in all; the rest of it is names and URLs. */
export const LISTS_BYTES_MAX = 2_048
/** API Gateway's own limits of an account and region. */
export const ADMIN_REQUESTS_PER_SEC_MAX = 10_000
export const ADMIN_REQUESTS_BURST_MAX = 5_000
/** What CloudWatch Logs accepts. */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
] as const

const PREFIX = /^[a-z][a-z0-9]{0,15}$/
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
      '1 to 16 of a-z and 0-9, a letter first',
    ),
    ...whole('holdsMax', stage.holdsMax, 1, HOLDS_MAX_MAX),
    ...whole('sseConcurrency', stage.sseConcurrency, SSE_CONCURRENCY_MIN, SSE_CONCURRENCY_MAX),
    ...whole('streamsPerKeyMax', stage.streamsPerKeyMax, 1, STREAMS_PER_KEY_MAX_MAX),
    ...stage.tierLimits.flatMap(tierFaults),
    ...listFaults(
      'allowedOrigins',
      stage.allowedOrigins,
      isOrigin,
      'an origin such as https://app.example',
    ),
    ...listFaults('outboundAllow', stage.outboundAllow, isHostAndPort, 'HOST or HOST:PORT'),
    ...listsFaults(stage),
    ...reservationFaults(stage),
    ...retentionFaults(stage.logRetentionDays),
    ...whole('adminRequestsPerSec', stage.adminRequestsPerSec, 1, ADMIN_REQUESTS_PER_SEC_MAX),
    ...whole('adminRequestsBurst', stage.adminRequestsBurst, 1, ADMIN_REQUESTS_BURST_MAX),
    ...mailFaults(stage.alarmEmail),
  ]
}

function tierFaults({ tier, callsPerMinute, callsInFlight = 1 }: TierLimit): readonly string[] {
  const at = `tierLimits.${tier}`
  return [
    ...unless(TIER.test(tier), 'tierLimits.tier', tier, '1 to 64 of A-Z, a-z, 0-9, _ and -'),
    ...whole(`${at}.callsPerMinute`, callsPerMinute, 1, CALLS_PER_MINUTE_MAX),
    ...whole(`${at}.callsInFlight`, callsInFlight, 1, HOLDS_MAX_MAX),
  ]
}

function listFaults(
  field: string,
  entries: readonly string[],
  fits: (entry: string) => boolean,
  what: string,
): readonly string[] {
  const wrong = entries.flatMap((entry) => unless(fits(entry), field, entry, what))
  if (entries.length <= LIST_ENTRIES_MAX) return wrong
  return [...wrong, `${field}: has ${entries.length} entries; give at most ${LIST_ENTRIES_MAX}`]
}

/** They travel as environment variables, which Lambda would refuse late and without naming them. */
function listsFaults(stage: Stage): readonly string[] {
  const text = [...stage.allowedOrigins, ...stage.outboundAllow, ...stage.tierLimits.map(tierText)]
  const bytes = Buffer.byteLength(text.join(','))
  if (bytes <= LISTS_BYTES_MAX) return []
  return [
    `allowedOrigins, outboundAllow, tierLimits: take ${bytes} bytes together; shorten them to ${LISTS_BYTES_MAX}`,
  ]
}

/** As adapters/config reads one entry of TIER_LIMITS. */
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
  // Each POST that sse accepts is handed on to messages at once: it must find room there.
  const room =
    messages === undefined || messages >= sseConcurrency
      ? []
      : [
          `reservedConcurrency.messages: is ${messages}; give at least sseConcurrency (${sseConcurrency}), or none`,
        ]
  // All streams that may be open may be listen streams: 70 % of sseConcurrency, and calls need the rest.
  const listening =
    mcp === undefined || mcp >= sseConcurrency
      ? []
      : [
          `reservedConcurrency.mcp: is ${mcp}; give at least sseConcurrency (${sseConcurrency}), or none`,
        ]
  return [...ranges, ...shares, ...room, ...listening]
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

function unless(fits: boolean, field: string, value: unknown, what: string): readonly string[] {
  return fits ? [] : [`${field}: is ${JSON.stringify(value)}; give ${what}`]
}

function isOrigin(text: string): boolean {
  return text === '*' || (ORIGIN.test(text) && URL.canParse(text))
}

function isHostAndPort(text: string): boolean {
  return HOST_AND_PORT.test(text) && URL.canParse(`http://${text}`)
}
