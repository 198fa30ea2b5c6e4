/** The dashboard as CloudWatch gets it: every line on it is a metric that somebody sends. */
import { describe, expect, test } from 'vitest'
import { METRIC_DIMENSIONS, METRICS } from '../../adapters/telemetry/names.ts'
import { LOG_COUNTS } from '../../lib/log-counts.ts'
import { plainText, propertiesOf, watchTemplate } from './watch-template.ts'

/** Metrics that AWS sends, by namespace, with their dimensions. */
const AWS_METRICS: { readonly [namespace: string]: readonly string[] } = {
  'AWS/Lambda': [
    'ConcurrentExecutions FunctionName',
    'Duration FunctionName',
    'Errors FunctionName',
    'Invocations FunctionName',
    'Throttles FunctionName',
    'Url5xxCount FunctionName',
    'ClaimedAccountConcurrency',
  ],
  'AWS/DynamoDB': [
    'ConsumedReadCapacityUnits TableName',
    'ConsumedWriteCapacityUnits TableName',
    'ReadThrottleEvents TableName',
    'SuccessfulRequestLatency Operation TableName',
    'WriteThrottleEvents TableName',
  ],
  'AWS/ApiGateway': ['4XXError ApiName', '5XXError ApiName', 'Count ApiName'],
  'AWS/Logs': ['IncomingBytes LogGroupName'],
}

type Widget = {
  readonly type: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly properties: {
    readonly title?: string
    readonly markdown?: string
    readonly alarms?: readonly string[]
    readonly metrics?: readonly (readonly unknown[])[]
  }
}

const BOARDS = propertiesOf(watchTemplate(), 'AWS::CloudWatch::Dashboard')
const [BOARD] = BOARDS
const WIDGETS: readonly Widget[] = JSON.parse(plainText(BOARD?.['DashboardBody'])).widgets
const GRAPHS = WIDGETS.filter(({ type }) => type === 'metric')
const LINES = GRAPHS.flatMap(({ properties }) => properties.metrics ?? [])
const NAMED = LINES.filter(([first]) => typeof first === 'string')
const EXPRESSIONS = LINES.filter(([first]) => typeof first !== 'string').map((line) =>
  JSON.stringify(line),
)

test('the dashboard shows the state of all alarms, composites first, above seven rows', () => {
  expect(BOARDS).toHaveLength(1)
  expect(BOARD?.['DashboardName']).toEqual({
    'Fn::Join': ['', ['Skillgate-dev-', { Ref: 'AWS::Region' }]],
  })
  expect(WIDGETS[0]?.properties.alarms).toHaveLength(36)
  expect(WIDGETS[0]?.properties.alarms?.slice(0, 3)).toEqual([
    expect.stringContaining('AgentsHurt'),
    expect.stringContaining('MoneyInDoubt'),
    expect.stringContaining('Operations'),
  ])
  expect(WIDGETS.flatMap(({ properties }) => properties.markdown ?? [])).toEqual([
    '## Traffic',
    '## Failures',
    '## Money',
    '## Latency',
    '## Streams',
    '## Store',
    '## Cost drivers',
  ])
})

test('the widgets of the dashboard fill whole rows', () => {
  const rows = Map.groupBy(WIDGETS, ({ y }) => y)
  for (const row of rows.values()) {
    expect(row.map(({ width }) => width).reduce((sum, width) => sum + width, 0)).toBe(24)
    expect(new Set(row.map(({ height }) => height)).size).toBe(1)
  }
})

describe('the lines of the dashboard', () => {
  test('the dashboard has lines to judge', () => {
    expect(GRAPHS.length).toBe(25)
    expect(NAMED.length).toBeGreaterThan(50)
  })

  test.each(NAMED.map((line) => [textOf(line), line] as const))(
    'the line %s is sent',
    (_, line) => {
      const [namespace = '', name = '', ...pairs] = line.filter((one) => typeof one === 'string')
      const dimensions = pairs.filter((_pair, index) => index % 2 === 0)
      expect(sentIn(namespace)).toContain([name, ...dimensions].join(' '))
    },
  )

  test('the log lines that the dashboard searches for are sent', () => {
    const searched = EXPRESSIONS.filter((line) => line.includes('SEARCH'))
    expect(searched).toEqual([
      `[{"expression":"SEARCH('{Skillgate,Stage,Code} MetricName=\\"Refusals\\" Stage=\\"dev\\"', 'Sum', 300)"}]`,
      `[{"expression":"SEARCH('{Skillgate,Stage,Why} MetricName=\\"SecretsUnreadable\\" Stage=\\"dev\\"', 'Sum', 300)"}]`,
    ])
    expect(sentIn('Skillgate')).toContain('Refusals Code Stage')
    expect(sentIn('Skillgate')).toContain('SecretsUnreadable Stage Why')
  })

  test('the computed lines name lines that exist', () => {
    const ids = NAMED.flatMap((line) => idOf(line.at(-1)) ?? [])
    const computed = EXPRESSIONS.filter((line) => !line.includes('SEARCH'))
    const used = computed.flatMap((line) => /"expression":"(\w+) \/ 1000"/.exec(line)?.[1] ?? [])
    expect(used).toEqual([
      'ssems',
      'messagesms',
      'mcpms',
      'executems',
      'adminms',
      'sweepms',
      'usagems',
    ])
    expect(ids).toEqual(used)
    expect(computed).toHaveLength(used.length)
  })

  test('show every metric of ours, and every counted log line', () => {
    const shown = new Set(NAMED.map(([, name]) => name))
    const ours = [...Object.values(METRICS), ...Object.keys(LOG_COUNTS)]
    const searched = ours.filter((name) => EXPRESSIONS.some((line) => line.includes(`"${name}\\`)))
    expect(ours.filter((name) => !shown.has(name) && !searched.includes(name))).toEqual([])
  })
})

function sentIn(namespace: string): readonly string[] {
  if (namespace === 'Skillgate/dev') return Object.keys(LOG_COUNTS)
  if (namespace !== 'Skillgate') return AWS_METRICS[namespace] ?? []
  const more: { readonly [metric: string]: string | undefined } = METRIC_DIMENSIONS
  return Object.values(METRICS).flatMap((name) =>
    more[name] === undefined
      ? [`${name} Stage`]
      : [`${name} Stage`, [name, ...[more[name], 'Stage'].sort()].join(' ')],
  )
}

function idOf(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null || !('id' in options)) return undefined
  return String(options.id)
}

function textOf(line: readonly unknown[]): string {
  return line.filter((one) => typeof one === 'string').join(' ')
}
