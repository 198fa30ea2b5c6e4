/** The alarms as they are deployed: how many there are, their limits, and who is notified. */
import { describe, expect, test } from 'vitest'
import { STORE_PERMISSIONS } from '../../adapters/dynamodb/permissions.ts'
import { METRIC_DIMENSIONS, METRICS } from '../../adapters/telemetry/names.ts'
import { ERRORS } from '../../core/errors.ts'
import { ALARMS_MAX } from '../../lib/alarm.ts'
import { ALARMS } from '../../lib/alarms.ts'
import { listSeries } from '../../lib/watch-series.ts'
import { type Properties, plainText, propertiesOf, watchTemplate } from './watch-template.ts'

const WATCHED = ALARMS.flatMap(({ watched }) => listSeries(watched)).map(({ target }) => target)
const DEPLOYED = propertiesOf(watchTemplate(), 'AWS::CloudWatch::Alarm')

describe('the alarms', () => {
  test('are 33, one less than there may be', () => {
    expect(DEPLOYED).toHaveLength(33)
    expect(ALARMS_MAX).toBe(34)
  })

  test('look at 49 metrics, which cost 4.90 USD a month', () => {
    expect(WATCHED).toHaveLength(49)
  })

  test('have their written thresholds and periods', () => {
    expect(DEPLOYED.map(shown)).toEqual([
      'FunctionsDied: 3 or more, 1 of 1 × 300 s',
      'UrlsFail: 5 or more, 1 of 1 × 300 s',
      'SseThrottles: 1 or more, 3 of 5 × 60 s',
      'MessagesThrottles: 1 or more, 3 of 5 × 60 s',
      'McpThrottles: 1 or more, 3 of 5 × 60 s',
      'ExecuteThrottles: 1 or more, 3 of 5 × 60 s',
      'MessagesSlow: 2000 or more, 3 of 3 × 300 s',
      'McpSlow: 2000 or more, 3 of 3 × 300 s',
      'ExecuteSlow: 2000 or more, 3 of 3 × 300 s',
      'SseFull: 8 or more, 5 of 5 × 60 s',
      'McpFull: 8 or more, 5 of 5 × 60 s',
      'AccountFull: 8 or more, 5 of 5 × 60 s',
      'AdminApiFailed: 3 or more, 1 of 1 × 300 s',
      'RepliesSlow: 16000 or more, 2 of 3 × 300 s',
      'UpstreamsFail: 50 or more, 3 of 3 × 300 s',
      'InternalErrors: 5 or more, 1 of 1 × 300 s',
      'SecretsUnreadable: 3 or more, 1 of 1 × 300 s',
      'FreeByCrash: 3 or more, 1 of 1 × 900 s',
      'ChargesInDoubt: 1 or more, 1 of 1 × 300 s',
      'OutcomesUnwritten: 3 or more, 1 of 1 × 300 s',
      'ChargesUnsummed: 10 or more, 2 of 2 × 3600 s',
      'EventsFailed: 1 or more, 1 of 1 × 300 s',
      'ManyVoids: 10 or more, 1 of 1 × 900 s',
      'UpstreamToolsChanged: 1 or more, 1 of 1 × 300 s',
      'AdminAuthFailed: 20 or more, 1 of 1 × 300 s',
      'AdminSecretsStale: 1 or more, 1 of 1 × 300 s',
      'StoreRefusals: 5 or more, 1 of 1 × 300 s',
      'GatewayTableFails: 5 or more, 3 of 5 × 60 s',
      'SessionsTableFails: 5 or more, 3 of 5 × 60 s',
      'SweepSilent: less than 1, 5 of 5 × 60 s',
      'SweepBehind: 15 or more, 10 of 10 × 60 s',
      'UsageBehind: 1 or more, 1 of 1 × 900 s',
      'UsageLost: 1 or more, 1 of 1 × 300 s',
    ])
  })

  test('are not triggered by missing data, except for a silent sweep', () => {
    const byValue = Map.groupBy(DEPLOYED, (alarm) => alarm['TreatMissingData'])
    expect([...byValue.keys()].sort()).toEqual(['breaching', 'notBreaching'])
    expect(byValue.get('breaching')?.map(nameOf)).toEqual(['SweepSilent'])
  })

  test('are not triggered by a slow minority of calls', () => {
    const low = DEPLOYED.filter((alarm) => alarm['EvaluateLowSampleCountPercentile'] === 'ignore')
    expect(low.map(nameOf)).toEqual(['MessagesSlow', 'McpSlow', 'ExecuteSlow', 'RepliesSlow'])
    expect(low.map((alarm) => alarm['ExtendedStatistic'])).toEqual(['p99', 'p99', 'p99', 'p99'])
  })

  test('notify nobody themselves, and name their runbook', () => {
    for (const alarm of DEPLOYED) {
      expect(alarm['AlarmActions']).toBeUndefined()
      expect(alarm['AlarmDescription']).toContain(`docs/operations.md, Alarm: ${nameOf(alarm)}.`)
    }
  })

  test.each([
    [{ sseConcurrency: 100, accountConcurrency: 1_000 }, 80, 800],
    [{ sseConcurrency: 35, accountConcurrency: 60 }, 28, 48],
    [{ accountConcurrency: 1_000, reservedConcurrency: { execute: 300 } }, 8, 560],
  ])('sse counts its own places, mcp the unreserved: %j', (stage, sse, mcp) => {
    const alarms = propertiesOf(watchTemplate(stage), 'AWS::CloudWatch::Alarm')
    const full = alarms.filter((alarm) => /^(Sse|Mcp)Full$/.test(nameOf(alarm)))
    expect(full.map((alarm) => alarm['Threshold'])).toEqual([sse, mcp])
  })

  test('the alarm of mcp counts its own reservation, where it has one', () => {
    const stage = { sseConcurrency: 100, reservedConcurrency: { mcp: 300 } }
    const alarms = propertiesOf(watchTemplate(stage), 'AWS::CloudWatch::Alarm')
    const full = alarms.filter((alarm) => /^(Sse|Mcp)Full$/.test(nameOf(alarm)))
    expect(full.map((alarm) => alarm['Threshold'])).toEqual([80, 240])
  })
})

describe('the alarm of what reservations leave', () => {
  const PROD = { mcp: 340, execute: 170, sse: 100, messages: 100, admin: 20 }

  test.each([
    // 270 are free; at four fifths of them, 946 are claimed.
    [{ accountConcurrency: 1_000, reservedConcurrency: PROD }, 946],
    [{ accountConcurrency: 1_000 }, 800],
    [{ accountConcurrency: 10 }, 8],
  ])('rings at four fifths of the unreserved: %j', (stage, threshold) => {
    const alarms = propertiesOf(watchTemplate(stage), 'AWS::CloudWatch::Alarm')
    const alarm = alarms.find((one) => nameOf(one) === 'AccountFull')
    expect(alarm).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'ClaimedAccountConcurrency',
      Statistic: 'Maximum',
      Threshold: threshold,
    })
    expect(alarm).not.toHaveProperty('Dimensions')
  })
})

describe('the watched metrics', () => {
  test('have the dimensions that the functions send', () => {
    const dimensions: { readonly [metric: string]: string | undefined } = METRIC_DIMENSIONS
    for (const target of WATCHED) {
      if (target.of !== 'own') continue
      const by = Object.keys(target.by ?? {})
      expect([undefined, dimensions[METRICS[target.metric]]]).toContain(by[0])
      expect(by.length).toBeLessThanOrEqual(1)
    }
  })

  test('have the doors that make calls, and a cause that a call can have', () => {
    const valuesOf = (dimension: 'Door' | 'Why') =>
      WATCHED.flatMap((target) => (target.of === 'own' ? (target.by?.[dimension] ?? []) : []))
    expect(valuesOf('Door')).toEqual(['messages', 'mcp', 'execute'])
    expect(valuesOf('Why')).toEqual(['store'])
  })

  test('name codes of the error vocabulary', () => {
    const codes = WATCHED.flatMap((target) => (target.of === 'own' ? (target.by?.Code ?? []) : []))
    expect(codes.length).toBeGreaterThan(3)
    for (const code of codes) expect(Object.keys(ERRORS)).toContain(code)
  })

  test('name operations that a function makes on that table', () => {
    const permissions = Object.values(STORE_PERMISSIONS).flatMap((port) =>
      Object.values(port).flat(),
    )
    const watched = WATCHED.flatMap((target) =>
      target.of === 'operation' ? [`${target.table} ${target.operation}`] : [],
    )
    const made = permissions.flatMap(({ table, actions }) =>
      actions.map((one) => `${table} ${one}`),
    )
    expect(watched.length).toBe(4)
    for (const one of watched) expect(made).toContain(one)
  })
})

function nameOf(alarm: Properties): string {
  return plainText(alarm['AlarmName']).replace('Skillgate-dev-', '')
}

function shown(alarm: Properties): string {
  const operators: { readonly [operator: string]: (threshold: string) => string } = {
    GreaterThanOrEqualToThreshold: (threshold) => `${threshold} or more`,
    LessThanThreshold: (threshold) => `less than ${threshold}`,
  }
  const limit = operators[String(alarm['ComparisonOperator'])]?.(String(alarm['Threshold']))
  const periods = `${alarm['DatapointsToAlarm']} of ${alarm['EvaluationPeriods']}`
  return `${nameOf(alarm)}: ${limit}, ${periods} × ${periodOf(alarm)} s`
}

/** The period of an alarm; for an expression, the period of the metrics in it. */
function periodOf(alarm: Properties): string {
  const text = JSON.stringify(alarm['Metrics'] ?? alarm)
  return [...new Set([...text.matchAll(/"Period":(\d+)/g)].map(([, period]) => period))].join()
}
