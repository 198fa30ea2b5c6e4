/** Decides whether a stage fits an account: takes facts, returns lines for a person. */
import { readConfig } from '../../../adapters/config/env.ts'
import {
  planReservations,
  type Reservations,
  sumReservations,
  UNRESERVED_MIN,
} from '../../../lib/reservations.ts'
import type { Stage } from '../../../lib/stage.ts'
import { listStageWarnings } from '../../../lib/stage-warnings.ts'
import type { AccountFacts } from './facts.ts'

export type Verdict = {
  /** Names and values, for a table. */
  readonly facts: readonly (readonly [string, string])[]
  /** Reasons why the deploy would fail or serve badly, each with its remedy. */
  readonly faults: readonly string[]
  /** Reasons that allow a deploy but should be mended, each with its remedy. */
  readonly warnings: readonly string[]
}

export function assessStage(account: AccountFacts, stage: Stage): Verdict {
  const { concurrency, unreserved, region } = account
  return {
    facts: [
      ['account', `${account.account} as ${account.caller}`],
      ['region', region],
      ['stage', stage.name],
      ['concurrency', `${concurrency} at once, of which ${unreserved} are not reserved`],
      [
        'streams',
        `${countStreams(stage)} at once, those of sse and mcp together: 70 % of sseConcurrency (${stage.sseConcurrency})`,
      ],
      ['reservations', describeReservations(stage)],
      ['reservable', describeReservable(account, stage)],
      ['API logs', describeLogRole(account, stage)],
    ],
    faults: [
      ...findShareFaults(account, stage),
      ...findReservationFaults(account, stage),
      ...findLogRoleFaults(account, stage),
    ],
    warnings: [
      ...findQuotaWarnings(account, stage),
      ...listStageWarnings(stage).map(({ text }) => text),
    ],
  }
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

function findShareFaults({ concurrency, region }: AccountFacts, stage: Stage): readonly string[] {
  if (stage.sseConcurrency <= concurrency) return []
  return [
    `sseConcurrency: is ${stage.sseConcurrency}, and the account has ${concurrency}: streams would leave calls no room. Lower it in skillgate.config.json, or ask for more "Concurrent executions" of Lambda in Service Quotas (${region}).`,
  ]
}

/**
 * Warns if the stage states another account limit than the account has; that number only decides
 * when two alarms ring.
 */
function findQuotaWarnings({ concurrency }: AccountFacts, stage: Stage): readonly string[] {
  const { accountConcurrency } = stage
  if (accountConcurrency === concurrency) return []
  const rings = accountConcurrency > concurrency ? 'too late or never' : 'too early'
  return [
    `accountConcurrency: is ${accountConcurrency}, and the account has ${concurrency}: the alarms McpFull and AccountFull ring ${rings}. Set it to ${concurrency} in skillgate.config.json.`,
  ]
}

function findReservationFaults(account: AccountFacts, stage: Stage): readonly string[] {
  const wanted = sumReservations(stage.reservedConcurrency)
  const { concurrency, unreserved } = account
  if (wanted === 0 || wanted <= unreserved - UNRESERVED_MIN) return []
  const reserved = concurrency - unreserved
  // If the stage is deployed already, its own reservations are among those taken.
  if (reserved > 0 && wanted <= concurrency - UNRESERVED_MIN) {
    return [
      `reservedConcurrency: takes ${wanted}; that fits only if most of the ${reserved} that are reserved now are this stage's own. Lambda keeps ${UNRESERVED_MIN} free of any reservation.`,
    ]
  }
  return [
    `reservedConcurrency: takes ${wanted}, and at most ${Math.max(0, unreserved - UNRESERVED_MIN)} can be reserved: Lambda keeps ${UNRESERVED_MIN} of ${concurrency} free of any. Set it to null in skillgate.config.json, or ask for a higher quota.`,
  ]
}

function describeReservations(stage: Stage): string {
  if (stage.reservedConcurrency === undefined) return 'none: doors share what the account has'
  return formatReservations(stage.reservedConcurrency)
}

/** Returns the reservations that would fit this account, as text. */
function describeReservable({ concurrency }: AccountFacts, { sseConcurrency }: Stage): string {
  const fitting = planReservations(concurrency, sseConcurrency)
  if (fitting === undefined) return 'none: the account is too small for reservations'
  return `${formatReservations(fitting)} fit this account, beside no other stage`
}

function formatReservations(reservations: Reservations): string {
  const doors = Object.entries(reservations).map(([door, count]) => `${door} ${count}`)
  return `${doors.join(', ')}: ${sumReservations(reservations)} in all`
}

function describeLogRole({ apiLogRole }: AccountFacts, stage: Stage): string {
  if (stage.apiLogRole === 'keep') return apiLogRole ?? 'the account has no role'
  if (apiLogRole === undefined) return 'the account has no role; the deploy makes one'
  return `by ${apiLogRole}; a first deploy sets its own unless apiLogRole is keep`
}

function findLogRoleFaults({ apiLogRole }: AccountFacts, stage: Stage): readonly string[] {
  if (stage.apiLogRole === 'create' || apiLogRole !== undefined) return []
  return [
    'apiLogRole: is keep, and API Gateway has no role to log by in this account. Set it to create in skillgate.config.json.',
  ]
}
