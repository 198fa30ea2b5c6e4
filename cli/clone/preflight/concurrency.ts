/** What the account's concurrency means for a stage: streams, calls and reservations. */
import { readConfig } from '../../../adapters/config/env.ts'
import {
  planReservations,
  type Reservations,
  sumReservations,
  UNRESERVED_MIN,
} from '../../../lib/reservations.ts'
import type { Stage } from '../../../lib/stage.ts'
import type { AccountFacts } from './facts.ts'

/** Lines of the table, in their order. */
export function describeConcurrency(
  account: AccountFacts,
  stage: Stage,
): readonly (readonly [string, string])[] {
  const { concurrency, unreserved } = account
  const { reservedConcurrency, sseConcurrency } = stage
  return [
    ['concurrency', `${concurrency} at once, of which ${unreserved} are not reserved`],
    [
      'streams',
      `${countStreams(stage)} at once, those of sse and mcp together: 70 % of sseConcurrency (${sseConcurrency})`,
    ],
    ...(reservedConcurrency === undefined
      ? [['calls', describeCalls(account, stage)] as const]
      : []),
    [
      'reservations',
      reservedConcurrency === undefined
        ? 'none: doors share what the account has'
        : formatReservations(reservedConcurrency),
    ],
    ['reservable', describeReservable(account, stage)],
  ]
}

/** Functions that one call over HTTP+SSE takes at once, beside the stream that gets the reply. */
const FUNCTIONS_OF_SSE_CALL: readonly string[] = ['sse', 'messages']

/** Tells what a stage without reservations has for calls while all its streams are open. */
function describeCalls({ unreserved }: AccountFacts, stage: Stage): string {
  const left = Math.max(0, unreserved - countStreams(stage))
  const each = FUNCTIONS_OF_SSE_CALL.length
  const calls = Math.floor(left / each)
  const executions = left === 1 ? '1 execution is' : `${left} executions are`
  return `${executions} left beside open streams; a call over HTTP+SSE takes ${each} (${FUNCTIONS_OF_SSE_CALL.join(', ')}), so ${calls} at a time`
}

/**
 * Returns how many streams the stage serves at once, by the configuration reader of the deployed
 * function.
 */
function countStreams({ sseConcurrency }: Stage): number {
  const config = readConfig({ SSE_CONCURRENCY: String(sseConcurrency) }, ['settings'])
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.settings.streams.totalMax
}

export function findShareFaults(
  { concurrency, region }: AccountFacts,
  stage: Stage,
): readonly string[] {
  if (stage.sseConcurrency <= concurrency) return []
  return [
    `sseConcurrency: is ${stage.sseConcurrency}, and the account has ${concurrency}: streams would leave calls no room. Lower it in skillgate.config.json, or ask for more "Concurrent executions" of Lambda in Service Quotas (${region}).`,
  ]
}

/**
 * Warns if the stage states another account limit than the account has; that number only decides
 * when two alarms ring.
 */
export function findQuotaWarnings({ concurrency }: AccountFacts, stage: Stage): readonly string[] {
  const { accountConcurrency } = stage
  if (accountConcurrency === concurrency) return []
  const rings = accountConcurrency > concurrency ? 'too late or never' : 'too early'
  return [
    `accountConcurrency: is ${accountConcurrency}, and the account has ${concurrency}: the alarms McpFull and AccountFull ring ${rings}. Set it to ${concurrency} in skillgate.config.json.`,
  ]
}

export type ReservationVerdict = {
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Compares the reservations of the stage with what the account can reserve. Reservations of the
 * deployed stage count as free, because the deploy replaces them.
 */
export function judgeReservations(account: AccountFacts, stage: Stage): ReservationVerdict {
  const { concurrency, ownReserved, unreserved } = account
  const wanted = sumReservations(stage.reservedConcurrency)
  const reserved = concurrency - unreserved
  const own = ownReserved.kind === 'known' ? ownReserved.value : 0
  const free = Math.max(0, unreserved + own - UNRESERVED_MIN)
  if (wanted === 0 || wanted <= free) return { faults: [], warnings: [] }
  if (ownReserved.kind === 'unknown' && wanted <= free + reserved) {
    const text = `reservedConcurrency: takes ${wanted}, which fits only if at least ${wanted - free} of the ${reserved} that are reserved now are this stage's own; they could not be read: ${ownReserved.why}`
    return { faults: [], warnings: [text] }
  }
  const others = reserved - own
  const taken = others > 0 ? `other functions of the account have ${others}, and ` : ''
  const text = `reservedConcurrency: takes ${wanted}, and at most ${free} can be reserved: ${taken}Lambda keeps ${UNRESERVED_MIN} of ${concurrency} free of any. Set it to null in skillgate.config.json, or ask for a higher quota.`
  return { faults: [text], warnings: [] }
}

/** Returns the reservations that would fit this account beside those of others, as text. */
function describeReservable(account: AccountFacts, { sseConcurrency }: Stage): string {
  const { concurrency, ownReserved, unreserved } = account
  const own = ownReserved.kind === 'known' ? ownReserved.value : 0
  const others = concurrency - unreserved - own
  const fitting = planReservations(concurrency - others, sseConcurrency)
  if (others === 0) {
    return fitting === undefined
      ? 'none: the account is too small for reservations'
      : `${formatReservations(fitting)} fit this account`
  }
  const beside = `beside the ${others} of other functions`
  return fitting === undefined ? `none ${beside}` : `${formatReservations(fitting)} fit ${beside}`
}

function formatReservations(reservations: Reservations): string {
  const doors = Object.entries(reservations).map(([door, count]) => `${door} ${count}`)
  return `${doors.join(', ')}: ${sumReservations(reservations)} in all`
}
