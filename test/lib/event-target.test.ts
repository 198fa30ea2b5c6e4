/**
 * A stage whose events go to a webhook, and one whose events go to a bus: what the sweep gets for it, and that no
 * other function gets any of it.
 */
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../adapters/config/env.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { expectedStatements, statementsOfRole, tableGrants } from './expected-grants.ts'
import {
  type Properties,
  resourcesOf,
  synthesize,
  type Template,
  tableOutputs,
} from './synthesized.ts'

const URL_OF_HOOK = 'https://hook.example/events?tenant=1'
const WEBHOOK = { ...getStage('dev'), eventTargets: [URL_OF_HOOK], lowBalance: 2.5 }
const BUS = { ...getStage('dev'), eventTargets: ['bus:alerts'], lowBalance: 2.5 }

const NONE = synthesize(getStage('dev')).gateway
const TO_WEBHOOK = synthesize(WEBHOOK).gateway
const TO_BUS = synthesize(BUS).gateway
const RETAINED = synthesize({ ...getStage('prod'), eventTargets: [URL_OF_HOOK] }).gateway

function functionOf(template: Template, door: Door): Properties {
  const [, properties] =
    resourcesOf(template, 'AWS::Lambda::Function').find(([, { Description }]) =>
      String(Description).endsWith(`: the ${door} door`),
    ) ?? []
  if (properties === undefined) throw new Error(`no function ${door}`)
  return properties
}

function variablesOf(template: Template, door: Door): Properties {
  const { Variables } = functionOf(template, door)['Environment'] as { Variables: Properties }
  return Variables
}

function grantsOf(template: Template, door: Door) {
  const role = functionOf(template, door)['Role'] as { 'Fn::GetAtt': readonly [string, string] }
  return statementsOfRole(template, role['Fn::GetAtt'][0])
}

/** Of the services that events take. */
function sendingGrants(template: Template, door: Door) {
  return grantsOf(template, door).filter(({ Action }) =>
    /secretsmanager:|events:/.test(JSON.stringify(Action)),
  )
}

/** Without that of the canary, which each stage has. */
function secretsOf(template: Template) {
  return resourcesOf(template, 'AWS::SecretsManager::Secret').filter(
    ([id]) => !id.startsWith('CanarySecret'),
  )
}

function eventsSecret(template: Template): string {
  const [[id] = ['']] = secretsOf(template)
  return id
}

const withVariable = (template: Template, name: string) =>
  DOORS.filter((door) => name in variablesOf(template, door))

const OTHERS = DOORS.filter((door) => door !== 'sweep')

describe('a stage without a target', () => {
  test('has no secret of events, no grant to send and no event recorded', () => {
    expect(secretsOf(NONE)).toEqual([])
    expect(sendingGrants(NONE, 'sweep')).toEqual([])
    expect(withVariable(NONE, 'EVENTS_TARGETS')).toEqual([])
    expect(variablesOf(NONE, 'sweep')).toMatchObject({ EVENTS: 'off', LOW_BALANCE: '0' })
  })
})

describe('a stage with a webhook', () => {
  test('makes a secret in the form that the sweep reads, and shows its id alone', () => {
    const secrets = secretsOf(TO_WEBHOOK)
    expect(secrets).toHaveLength(1)
    expect(secrets[0]?.[1]).toMatchObject({
      GenerateSecretString: {
        SecretStringTemplate: '{}',
        GenerateStringKey: 'current',
        ExcludePunctuation: true,
      },
    })
    expect(TO_WEBHOOK.Outputs['EventsSecretId']?.Value).toEqual({ Ref: eventsSecret(TO_WEBHOOK) })
    expect(JSON.stringify(TO_WEBHOOK)).not.toMatch(/resolve:secretsmanager|"SecretString"/)
  })

  test('the secret of a webhook goes with the stage, unless the stage retains its data', () => {
    const policyOf = (template: Template) =>
      template.Resources[eventsSecret(template)]?.DeletionPolicy
    expect([policyOf(TO_WEBHOOK), policyOf(RETAINED)]).toEqual(['Delete', 'RetainExceptOnCreate'])
  })

  test('the sweep may read that one secret, and do nothing else than without a webhook', () => {
    expect(sendingGrants(TO_WEBHOOK, 'sweep')).toEqual([
      {
        Effect: 'Allow',
        Action: 'secretsmanager:GetSecretValue',
        Resource: { Ref: eventsSecret(TO_WEBHOOK) },
      },
    ])
    expect(grantsOf(TO_WEBHOOK, 'sweep')).toHaveLength(grantsOf(NONE, 'sweep').length + 1)
  })

  test('the sweep reads its target and the id of its secret from its environment', () => {
    const secret = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:Events-AbC123'
    const { EVENTS_SECRET_ID, ...given } = variablesOf(TO_WEBHOOK, 'sweep')
    expect(EVENTS_SECRET_ID).toEqual({ Ref: eventsSecret(TO_WEBHOOK) })
    expect(configOf({ ...given, EVENTS_SECRET_ID: secret })).toMatchObject({
      eventTargets: { targets: [{ kind: 'webhook', url: URL_OF_HOOK }], secretId: secret },
      settings: { events: { lowBalance: 2_500_000 } },
    })
  })
})

describe('a stage with a bus', () => {
  test('makes no secret', () => {
    expect(secretsOf(TO_BUS)).toEqual([])
    expect(TO_BUS.Outputs).not.toHaveProperty('EventsSecretId')
    expect(withVariable(TO_BUS, 'EVENTS_SECRET_ID')).toEqual([])
  })

  test('the sweep may put events on that one bus of its account and region, and do nothing else than without a bus', () => {
    const arn = [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':events:',
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      ':event-bus/alerts',
    ]
    expect(sendingGrants(TO_BUS, 'sweep')).toEqual([
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: { 'Fn::Join': ['', arn] } },
    ])
    expect(grantsOf(TO_BUS, 'sweep')).toHaveLength(grantsOf(NONE, 'sweep').length + 1)
  })

  test('the sweep may put events on the bus that an ARN names, as it is written', () => {
    const arn = 'arn:aws:events:eu-central-1:123456789012:event-bus/alerts'
    const { gateway } = synthesize({ ...BUS, eventTargets: [`bus:${arn}`] })
    expect(sendingGrants(gateway, 'sweep')).toEqual([
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: arn },
    ])
    expect(configOf(variablesOf(gateway, 'sweep'))).toMatchObject({
      eventTargets: { targets: [{ kind: 'bus', bus: arn }] },
    })
  })

  test('the sweep reads its bus from its environment', () => {
    expect(configOf(variablesOf(TO_BUS, 'sweep'))).toMatchObject({
      eventTargets: {
        targets: [{ kind: 'bus', bus: 'alerts' }],
        signing: { region: 'eu-central-1' },
      },
      settings: { events: { lowBalance: 2_500_000 } },
    })
  })
})

describe('a stage with mail and a channel', () => {
  const eventTargets = ['email:ops@example.com low_balance', 'slack:skillgate/slack']
  const stage = { ...getStage('dev'), eventTargets, eventsFrom: 'gateway@example.org' }
  const { gateway } = synthesize(stage)

  test('the sweep may send mail from that address alone, by its identities and those of recipients, and read the URL of the channel', () => {
    const identity = (name: string) => ({
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          ':ses:',
          { Ref: 'AWS::Region' },
          ':',
          { Ref: 'AWS::AccountId' },
          `:identity/${name}`,
        ],
      ],
    })
    const grants = grantsOf(gateway, 'sweep')
    expect(grants).toHaveLength(grantsOf(NONE, 'sweep').length + 2)
    expect(grants).toContainEqual({
      Effect: 'Allow',
      Action: 'ses:SendEmail',
      Resource: ['example.org', 'gateway@example.org', 'ops@example.com'].map(identity),
      Condition: { StringEquals: { 'ses:FromAddress': 'gateway@example.org' } },
    })
    expect(JSON.stringify(sendingGrants(gateway, 'sweep'))).toContain(
      'secret:skillgate/slack-??????',
    )
  })

  test('the sweep alone learns the targets, and there is no secret that signs', () => {
    expect(withVariable(gateway, 'EVENTS_TARGETS')).toEqual(['sweep'])
    expect(withVariable(gateway, 'EVENTS_FROM')).toEqual(['sweep'])
    expect(secretsOf(gateway)).toEqual([])
  })
})

describe.each([
  ['a webhook', TO_WEBHOOK],
  ['a bus', TO_BUS],
])('with %s', (_, template) => {
  test('every function that ends calls or serves administrators records events at one balance, and the sweep alone learns the target', () => {
    const recording = OTHERS.filter((door) => door !== 'usage')
    for (const door of recording) {
      expect(variablesOf(template, door)).toMatchObject({ EVENTS: 'on', LOW_BALANCE: '2.5' })
    }
    expect(withVariable(template, 'EVENTS_TARGETS')).toEqual(['sweep'])
  })

  test('the roles of the other functions are what they are without a target', () => {
    for (const door of OTHERS) expect(grantsOf(template, door)).toEqual(grantsOf(NONE, door))
  })

  test('the sweep has the table permissions of its ports', () => {
    const grants = tableGrants(grantsOf(template, 'sweep'), tableOutputs('dev'))
    expect(grants).toEqual(expectedStatements('sweep'))
  })
})

/** As Lambda would start the sweep: with a region and the credentials of its role, and names that AWS fills in. */
function configOf(variables: Properties) {
  const texts = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : 'FilledInByAws',
  ])
  const lambda = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'ASIAX',
    AWS_SECRET_ACCESS_KEY: 's',
  }
  const config = readConfig({ ...lambda, ...Object.fromEntries(texts) }, [
    'tables',
    'telemetry',
    'settings',
    'eventTargets',
  ])
  return config.ok ? config.value : config.error
}
