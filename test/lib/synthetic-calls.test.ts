/** A stage with synthetic calls, and one without. */
import { describe, expect, test } from 'vitest'
import { DOORS, type Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { ALARMS_OF_SYNTHETIC_CALLS } from '../../lib/synthetic-calls.ts'
import { type Statement, statementsOfRole } from './expected-grants.ts'
import { type Properties, resourcesOf, synthesize, type Template } from './synthesized.ts'

const WITHOUT = synthesize(getStage('dev'))
const WITH = synthesize({ ...getStage('dev'), syntheticCalls: true })

function statementsOf(template: Template, door: Door): readonly Statement[] {
  const start = `${door.charAt(0).toUpperCase()}${door.slice(1)}Role`
  const [id = ''] =
    resourcesOf(template, 'AWS::IAM::Role').find(([name]) => name.startsWith(start)) ?? []
  return statementsOfRole(template, id)
}

function variablesOf(template: Template, door: Door): Properties {
  const [, found = {}] =
    resourcesOf(template, 'AWS::Lambda::Function').find(
      ([, { Description }]) => Description === `Skillgate dev: the ${door} door`,
    ) ?? []
  const { Environment = {} } = found
  return { ...Reflect.get(Object(Environment), 'Variables') }
}

function namesOfAlarms(template: Template): readonly string[] {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { AlarmName }]) =>
    String(AlarmName),
  )
}

describe('a stage with synthetic calls', () => {
  test('invokes the function usage by its alias every five minutes', () => {
    const rule = resourcesOf(WITH.gateway, 'AWS::Events::Rule').find(([id]) =>
      id.startsWith('SyntheticCallSchedule'),
    )
    expect(rule?.[1]).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      Targets: [
        {
          Arn: { Ref: expect.stringMatching(/^UsageAliaslive/) },
          Input: '{"task":"synthetic-call"}',
        },
      ],
    })
  })

  test('lets usage alone read the secret of the canary, and tells usage where to call', () => {
    const secret = { Ref: expect.stringMatching(/^CanarySecret/) }
    const readers = DOORS.filter((door) =>
      JSON.stringify(statementsOf(WITH.gateway, door)).includes('CanarySecret'),
    )
    expect(readers).toEqual(['usage'])
    expect(statementsOf(WITH.gateway, 'usage')).toContainEqual({
      Effect: 'Allow',
      Action: 'secretsmanager:GetSecretValue',
      Resource: secret,
    })
    expect(variablesOf(WITH.gateway, 'usage')).toMatchObject({ CANARY_SECRET_ID: secret })
    expect(JSON.stringify(variablesOf(WITH.gateway, 'usage')['MCP_URL'])).toContain('McpAlias')
  })

  test('has an alarm of its own', () => {
    const [{ name = '' } = {}] = ALARMS_OF_SYNTHETIC_CALLS
    expect(name).toBe('SyntheticCallsFail')
    const has = (template: Template) =>
      namesOfAlarms(template).some((one) => one.endsWith(`-${name}`))
    expect([has(WITH.watch), has(WITHOUT.watch)]).toEqual([true, false])
  })
})

test('a stage without synthetic calls lets no function read the secret of the canary', () => {
  expect(JSON.stringify(DOORS.map((door) => statementsOf(WITHOUT.gateway, door)))).not.toContain(
    'CanarySecret',
  )
  expect(variablesOf(WITHOUT.gateway, 'usage')).not.toHaveProperty('CANARY_SECRET_ID')
})
