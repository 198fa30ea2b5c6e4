/** Preflight's verdict on a stage and an account. */
import { describe, expect, test } from 'vitest'
import type { AccountFacts } from '../../../../cli/clone/preflight/facts.ts'
import { assessStage } from '../../../../cli/clone/preflight/verdict.ts'
import type { Stage } from '../../../../lib/stage.ts'
import { getStage } from '../../../../lib/stages.ts'

const FRESH: AccountFacts = {
  account: '111111111111',
  caller: 'arn:aws:iam::111111111111:user/ada',
  region: 'eu-central-1',
  concurrency: 10,
  unreserved: 10,
  apiLogRole: undefined,
}

const GROWN: AccountFacts = { ...FRESH, concurrency: 1000, unreserved: 1000 }
const DEV = getStage('dev')

test('preflight shows the account, its quota and the streams that the stage may have open', () => {
  expect(assessStage(FRESH, DEV)).toEqual({
    facts: [
      ['account', '111111111111 as arn:aws:iam::111111111111:user/ada'],
      ['region', 'eu-central-1'],
      ['stage', 'dev'],
      ['concurrency', '10 at once, of which 10 are not reserved'],
      ['streams', '7 at once, those of sse and mcp together: 70 % of sseConcurrency (10)'],
      ['reservations', 'none: doors share what the account has'],
      ['reservable', 'none: the account is too small for reservations'],
      ['API logs', 'the account has no role; the deploy makes one'],
    ],
    faults: [],
    warnings: [],
  })
})

test('preflight refuses a stage that gives sse more than the account has, and takes one that gives it all', () => {
  const bare: Stage = { ...getStage('prod'), reservedConcurrency: undefined }
  expect(assessStage({ ...FRESH, concurrency: 99, unreserved: 99 }, bare).faults).toEqual([
    'sseConcurrency: is 100, and the account has 99: streams would leave calls no room. Lower it in skillgate.config.json, or ask for more "Concurrent executions" of Lambda in Service Quotas (eu-central-1).',
  ])
  expect(assessStage({ ...FRESH, concurrency: 100, unreserved: 100 }, bare).faults).toEqual([])
})

describe('reservations', () => {
  const wanting = (execute: number): Stage => ({
    ...DEV,
    reservedConcurrency: { sse: 10, execute },
  })

  test('are shown by door and in all', () => {
    expect(assessStage(GROWN, wanting(20)).facts).toContainEqual([
      'reservations',
      'sse 10, execute 20: 30 in all',
    ])
  })

  test('that the account could take are shown, and those of prod fit a quota of 1,000', () => {
    const { facts, faults } = assessStage(GROWN, getStage('prod'))
    expect(facts).toContainEqual([
      'reservable',
      'sse 100, messages 100, mcp 340, execute 170, admin 20: 730 in all fit this account, beside no other stage',
    ])
    expect(faults).toEqual([])
  })

  test('fit as long as 100 stay free of any', () => {
    expect(assessStage(GROWN, wanting(890)).faults).toEqual([])
    expect(assessStage(GROWN, wanting(891)).faults).toEqual([
      'reservedConcurrency: takes 901, and at most 900 can be reserved: Lambda keeps 100 of 1000 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
    ])
  })

  test('do not fit a fresh account at all', () => {
    expect(assessStage(FRESH, wanting(1)).faults).toEqual([
      'reservedConcurrency: takes 11, and at most 0 can be reserved: Lambda keeps 100 of 10 free of any. Set it to null in skillgate.config.json, or ask for a higher quota.',
    ])
  })

  test('may already be part of the reserved concurrency, which preflight cannot know', () => {
    expect(assessStage({ ...GROWN, unreserved: 150 }, wanting(90)).faults).toEqual([
      "reservedConcurrency: takes 100; that fits only if most of the 850 that are reserved now are this stage's own. Lambda keeps 100 free of any reservation.",
    ])
  })
})

describe('the role by which API Gateway logs', () => {
  const arn = 'arn:aws:iam::111111111111:role/logs'

  test('that exists is named, with the setting that keeps it', () => {
    expect(assessStage({ ...FRESH, apiLogRole: arn }, DEV).facts).toContainEqual([
      'API logs',
      `by ${arn}; a first deploy sets its own unless apiLogRole is keep`,
    ])
  })

  test('must exist if the stage keeps it', () => {
    const keep: Stage = { ...DEV, apiLogRole: 'keep' }
    expect(assessStage({ ...FRESH, apiLogRole: arn }, keep).faults).toEqual([])
    expect(assessStage(FRESH, keep).faults).toEqual([
      'apiLogRole: is keep, and API Gateway has no role to log by in this account. Set it to create in skillgate.config.json.',
    ])
  })
})

test('preflight warns when the alarms count against another quota than the account has', () => {
  expect(assessStage(GROWN, DEV).warnings).toEqual([
    'accountConcurrency: is 10, and the account has 1000: the alarms McpFull and AccountFull ring too early. Set it to 1000 in skillgate.config.json.',
  ])
  expect(assessStage({ ...FRESH, concurrency: 9 }, DEV).warnings[0]).toContain(
    'ring too late or never',
  )
})

test('preflight warns of the safety nets that a stage for real users leaves open, and accepts it all the same', () => {
  const { faults, warnings } = assessStage(GROWN, getStage('prod'))
  expect(faults).toEqual([])
  expect(warnings.map((text) => text.split(':')[0])).toEqual(['alarmEmail', 'monthlyBudgetUsd'])
})
