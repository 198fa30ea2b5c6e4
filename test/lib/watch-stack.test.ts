/**
 * The rest of the watch stack: counted log lines, the topics, and the outputs of the runbooks.
 */
import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, test } from 'vitest'
import type { WatchedStage } from '../../lib/alarm-topic.ts'
import { ALARMS, COMPOSITES } from '../../lib/alarms.ts'
import { ALARMS_OF_CALLER } from '../../lib/alarms-of-doors.ts'
import { filesOf, readText } from '../docs/markdown.ts'
import { plainText, propertiesOf, watchTemplate } from './watch-template.ts'

const ALL = ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage']
const TEMPLATE = watchTemplate()
const FILTERS = propertiesOf(TEMPLATE, 'AWS::Logs::MetricFilter')

describe('counted log lines', () => {
  test('are searched in the log group that has them', () => {
    const counted = FILTERS.map((filter) => {
      const name = /"MetricName":"(\w+)"/.exec(JSON.stringify(filter))?.[1]
      return `${name} in ${plainText(filter['LogGroupName'])}`
    })
    expect(counted).toEqual([
      'ChargesInDoubt in <sseLogs>',
      'ChargesInDoubt in <messagesLogs>',
      'ChargesInDoubt in <mcpLogs>',
      'AdminSecretsStale in <adminLogs>',
      'EventsFailed in <sweepLogs>',
      'OutcomesUnwritten in <mcpLogs>',
      'OutcomesUnwritten in <messagesLogs>',
      'OutcomesUnwritten in <executeLogs>',
      'FunctionsDied in <sseLogs>',
      'FunctionsDied in <messagesLogs>',
      'FunctionsDied in <mcpLogs>',
      'FunctionsDied in <executeLogs>',
      ...ALL.map((door) => `StoreTrouble in <${door}Logs>`),
      'SyntheticCallsFailed in <usageLogs>',
    ])
  })

  test('count 1 each, and nothing while there is none, so that such an hour costs nothing', () => {
    for (const filter of FILTERS) {
      const text = JSON.stringify(filter['MetricTransformations'])
      expect(text).toMatch(/"MetricNamespace":"Skillgate\/dev","MetricValue":"1"/)
      expect(text).not.toContain('DefaultValue')
    }
  })

  test('match lines that the code writes', () => {
    const events = FILTERS.flatMap((filter) =>
      [...plainText(filter['FilterPattern']).matchAll(/\$\.event = "([a-z-]+)"/g)].map(
        ([, event = '']) => event,
      ),
    )
    const source = filesOf('{core,adapters,lambdas}/**/*.ts').map(readText).join('\n')
    expect([...new Set(events)].sort()).toEqual([
      'admin-secrets-stale',
      'event-failed',
      'refund-delayed',
      'settle-failed',
      'store-trouble',
      'synthetic-call-failed',
      'void-failed',
      'void-lost',
    ])
    for (const event of events) expect(source).toContain(`'${event}'`)
  })

  test('of a void that failed are those of its last attempt', () => {
    expect(readText('core/flow/tools/void-safely.ts')).toContain('const VOID_ATTEMPTS = 3\n')
    const patterns = FILTERS.map((filter) => plainText(filter['FilterPattern']))
    expect(patterns[0]).toBe(
      '{ ($.event = "void-failed" && $.attempt >= 3) || $.event = "void-lost" }',
    )
  })

  test('of the platform are reports of invocations that did not succeed', () => {
    const patterns = FILTERS.map((filter) => plainText(filter['FilterPattern']))
    expect(patterns).toContain('{ $.type = "platform.report" && $.record.status != "success" }')
  })
})

describe('the topics', () => {
  test('take alarms of this stage and account, over TLS only', () => {
    TEMPLATE.resourceCountIs('AWS::SNS::Topic', 2)
    TEMPLATE.resourcePropertiesCountIs(
      'AWS::SNS::TopicPolicy',
      {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Effect: 'Deny',
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            }),
            Match.objectLike({
              Effect: 'Allow',
              Action: 'sns:Publish',
              Principal: { Service: 'cloudwatch.amazonaws.com' },
              Condition: {
                StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
                ArnLike: { 'aws:SourceArn': Match.anyValue() },
                ArnNotLike: { 'aws:SourceArn': Match.anyValue() },
              },
            }),
          ]),
        },
      },
      2,
    )
    for (const policy of propertiesOf(TEMPLATE, 'AWS::SNS::TopicPolicy')) {
      expect(JSON.stringify(policy)).toContain(':alarm:Skillgate-dev-*"')
      // Those of a stage dev-eu, and no alarm of this stage.
      expect(JSON.stringify(policy)).toContain(':alarm:Skillgate-dev-*-*"')
    }
    const names = [...COMPOSITES, ...ALARMS, ...ALARMS_OF_CALLER].map(({ name }) => name)
    expect(names.filter((name) => name.includes('-'))).toEqual([])
  })

  test('send mail only to the addresses that the stage names', () => {
    const receiversOf = (stage: Partial<WatchedStage>) =>
      propertiesOf(watchTemplate(stage), 'AWS::SNS::Subscription').map(
        ({ Endpoint, Protocol, TopicArn }) => `${Protocol} ${Endpoint} ${plainText(TopicArn)}`,
      )
    expect(receiversOf({})).toEqual([])
    expect(receiversOf({ alarmEmail: 'none' })).toEqual([])
    expect(receiversOf({ alarmEmail: 'team@example.com', pageEmail: 'pager@example.com' })).toEqual(
      [
        expect.stringMatching(/^email team@example\.com <Alarms\w+>$/),
        expect.stringMatching(/^email pager@example\.com <Pages\w+>$/),
      ],
    )
  })
})

describe('the budget', () => {
  test('sends a mail at 80 % and 100 %, and when the forecast passes it', () => {
    const stage = { alarmEmail: 'on-call@example.com', monthlyBudgetUsd: 50 }
    const [budget] = propertiesOf(watchTemplate(stage), 'AWS::Budgets::Budget')
    expect(budget).toMatchObject({
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } },
      NotificationsWithSubscribers: [
        [80, 'ACTUAL'],
        [100, 'ACTUAL'],
        [100, 'FORECASTED'],
      ].map(([Threshold, NotificationType]) => ({
        Notification: { Threshold, NotificationType, ThresholdType: 'PERCENTAGE' },
        Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'on-call@example.com' }],
      })),
    })
  })

  test('a stage that mails nobody has none', () => {
    const stage = { alarmEmail: 'none', monthlyBudgetUsd: 50 }
    watchTemplate(stage).resourceCountIs('AWS::Budgets::Budget', 0)
  })

  test('a stage that names no budget has none', () => {
    TEMPLATE.resourceCountIs('AWS::Budgets::Budget', 0)
  })
})

test('the watch stack has the outputs that the runbooks look up', () => {
  expect(Object.keys(TEMPLATE.toJSON()['Outputs'])).toEqual([
    'SseFunction',
    'SseLogs',
    'MessagesFunction',
    'MessagesLogs',
    'McpFunction',
    'McpLogs',
    'ExecuteFunction',
    'ExecuteLogs',
    'AdminFunction',
    'AdminLogs',
    'SweepFunction',
    'SweepLogs',
    'UsageFunction',
    'UsageLogs',
    'AdminApiId',
    'AlarmTopicArn',
    'PageTopicArn',
  ])
})

test('the watch stack has only kinds of resources that the emulators know', () => {
  const types = Object.values(TEMPLATE.toJSON()['Resources']).map((one) => Object(one).Type)
  expect([...new Set(types)].sort()).toEqual([
    'AWS::CloudWatch::Alarm',
    'AWS::CloudWatch::CompositeAlarm',
    'AWS::CloudWatch::Dashboard',
    'AWS::Logs::MetricFilter',
    'AWS::SNS::Topic',
    'AWS::SNS::TopicPolicy',
  ])
})
