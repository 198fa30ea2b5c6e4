/** Judges whether a stage fits an account: facts in, lines for a person out. */
import { readConfig } from '../../../adapters/config/env.ts'
import {
  type Reservations,
  reservationsFor,
  reservedInAll,
  UNRESERVED_MIN,
} from '../../../lib/reservations.ts'
import type { Stage } from '../../../lib/stage.ts'
import { stageWarnings } from '../../../lib/stage-warnings.ts'
import type { AccountFacts } from './facts.ts'

export type Verdict = {
  /** Name and value, to be shown as a table. */
  readonly facts: readonly (readonly [string, string])[]
  /** Reasons why the deploy would fail or serve badly, each with its remedy. */
  readonly faults: readonly string[]
  /** Faults that allow a deploy but should not stay, each with its remedy. */
  readonly warnings: readonly string[]
}

export function verdictOf(account: AccountFacts, stage: Stage): Verdict {
  const { concurrency, unreserved, region } = account
  return {
    facts: [
      ['account', `${account.account} as ${account.caller}`],
      ['region', region],
      ['stage', stage.name],
      ['concurrency', `${concurrency} at once, of which ${unreserved} are not reserved`],
      [
        'streams',
        `${streamsOf(stage)} at once, those of sse and mcp together: 70 % of sseConcurrency (${stage.sseConcurrency})`,
      ],
      ['reservations', reservationsOf(stage)],
      ['reservable', reservable(account, stage)],
      ['API logs', logRoleOf(account, stage)],
    ],
    faults: [
      ...shareFaults(account, stage),
      ...reservationFaults(account, stage),
      ...logRoleFaults(account, stage),
    ],
    warnings: [...quotaWarnings(account, stage), ...stageWarnings(stage).map(({ text }) => text)],
  }
}

/** Uses the configuration reader of the deployed function. */
function streamsOf({ sseConcurrency }: Stage): number {
  const config = readConfig({ SSE_CONCURRENCY: String(sseConcurrency) }, ['settings'])
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.settings.streams.totalMax
}

function shareFaults({ concurrency, region }: AccountFacts, stage: Stage): readonly string[] {
  if (stage.sseConcurrency <= concurrency) return []
  return [
    `sseConcurrency: is ${stage.sseConcurrency}, and the account has ${concurrency}: streams would leave calls no room. Lower it in lib/stages.ts, or ask for more "Concurrent executions" of Lambda in Service Quotas (${region}).`,
  ]
}

/** The stage's number decides only when two alarms ring. */
function quotaWarnings({ concurrency }: AccountFacts, stage: Stage): readonly string[] {
  const { accountConcurrency } = stage
  if (accountConcurrency === concurrency) return []
  const rings = accountConcurrency > concurrency ? 'too late or never' : 'too early'
  return [
    `accountConcurrency: is ${accountConcurrency}, and the account has ${concurrency}: the alarms McpFull and AccountFull ring ${rings}. Set it to ${concurrency} in lib/stages.ts.`,
  ]
}

function reservationFaults(account: AccountFacts, stage: Stage): readonly string[] {
  const wanted = reservedInAll(stage.reservedConcurrency)
  const { concurrency, unreserved } = account
  if (wanted === 0 || wanted <= unreserved - UNRESERVED_MIN) return []
  const reserved = concurrency - unreserved
  // A stage that is deployed already has its own reservations among those taken.
  if (reserved > 0 && wanted <= concurrency - UNRESERVED_MIN) {
    return [
      `reservedConcurrency: takes ${wanted}; that fits only if most of the ${reserved} that are reserved now are this stage's own. Lambda keeps ${UNRESERVED_MIN} free of any reservation.`,
    ]
  }
  return [
    `reservedConcurrency: takes ${wanted}, and at most ${Math.max(0, unreserved - UNRESERVED_MIN)} can be reserved: Lambda keeps ${UNRESERVED_MIN} of ${concurrency} free of any. Set it to undefined in lib/stages.ts, or ask for a higher quota.`,
  ]
}

function reservationsOf(stage: Stage): string {
  if (stage.reservedConcurrency === undefined) return 'none: doors share what the account has'
  return shown(stage.reservedConcurrency)
}

/** What the stage could reserve in this account. */
function reservable({ concurrency }: AccountFacts, { sseConcurrency }: Stage): string {
  const fitting = reservationsFor(concurrency, sseConcurrency)
  if (fitting === undefined) return 'none: the account is too small for reservations'
  return `${shown(fitting)} fit this account, beside no other stage`
}

function shown(reservations: Reservations): string {
  const doors = Object.entries(reservations).map(([door, count]) => `${door} ${count}`)
  return `${doors.join(', ')}: ${reservedInAll(reservations)} in all`
}

function logRoleOf({ apiLogRole }: AccountFacts, stage: Stage): string {
  if (stage.apiLogRole === 'keep') return apiLogRole ?? 'the account has no role'
  if (apiLogRole === undefined) return 'the account has no role; the deploy makes one'
  return `by ${apiLogRole}; a first deploy sets its own unless apiLogRole is keep`
}

function logRoleFaults({ apiLogRole }: AccountFacts, stage: Stage): readonly string[] {
  if (stage.apiLogRole === 'create' || apiLogRole !== undefined) return []
  return [
    'apiLogRole: is keep, and API Gateway has no role to log by in this account. Set it to create in lib/stages.ts.',
  ]
}
