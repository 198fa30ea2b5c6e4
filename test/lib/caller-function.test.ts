/** The function caller: only where the stage has private hosts, in its network, without rights. */
import { describe, expect, test } from 'vitest'
import { DOORS } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { findStageErrors } from '../../lib/stage-rules.ts'
import { getStage } from '../../lib/stages.ts'
import { EMULATED_STAGE } from '../localstack/config.ts'
import { statementsOfRole } from './expected-grants.ts'
import { type Properties, resourcesOf, synthesize, type Template } from './synthesized.ts'

const DEV = getStage('dev')
const NETWORK = {
  vpcSubnetIds: ['subnet-0123456789abcdef0', 'subnet-0fedcba9876543210'],
  vpcSecurityGroupIds: ['sg-0123456789abcdef0'],
}
const WITH: Stage = {
  ...DEV,
  ...NETWORK,
  privateHosts: ['billing.corp.example', '10.0.3.7:8443'],
  reservedConcurrency: { caller: 20 },
}
const { gateway, watch } = synthesize(WITH)
const WITHOUT = synthesize(DEV)

function functionIn(template: Template, name: string): readonly [string, Properties][] {
  return resourcesOf(template, 'AWS::Lambda::Function').filter(([, { Description }]) =>
    String(Description).endsWith(`: the ${name} door`),
  )
}

function statementsOf(template: Template, name: string) {
  const [[, properties] = ['', undefined]] = functionIn(template, name)
  const role: unknown = Reflect.get(Object(properties?.['Role']), 'Fn::GetAtt')
  return statementsOfRole(template, Array.isArray(role) ? String(role[0]) : '')
}

const variablesOf = (name: string) => {
  const [[, properties] = ['', undefined]] = functionIn(gateway, name)
  return Object(Object(properties?.['Environment']).Variables)
}

describe('a stage with private hosts', () => {
  test('has one function caller in its subnets, with its reservation', () => {
    const found = functionIn(gateway, 'caller')
    expect(found).toHaveLength(1)
    expect(found[0]?.[1]).toMatchObject({
      VpcConfig: {
        SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0fedcba9876543210'],
        SecurityGroupIds: ['sg-0123456789abcdef0'],
      },
      ReservedConcurrentExecutions: 20,
      MemorySize: 224,
      Timeout: 900,
      LoggingConfig: { SystemLogLevel: 'WARN' },
    })
  })

  test('gives the caller its hosts, and neither a table nor a key', () => {
    const { NODE_OPTIONS, ...variables } = variablesOf('caller')
    expect(variables).toEqual({
      PRIVATE_HOSTS: 'billing.corp.example,10.0.3.7:8443',
      SKILLGATE_STAGE: 'dev',
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '131072',
    })
    expect(NODE_OPTIONS).toContain('--max-old-space-size=140')
  })

  test('puts no function but the caller into the network', () => {
    const inside = resourcesOf(gateway, 'AWS::Lambda::Function').filter(
      ([, properties]) => properties['VpcConfig'] !== undefined,
    )
    expect(inside.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['Caller'])
  })

  test('gives the caller no URL', () => {
    const targets = resourcesOf(gateway, 'AWS::Lambda::Url').map(([, one]) =>
      JSON.stringify(one['TargetFunctionArn']),
    )
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.filter((target) => target.includes('Caller'))).toEqual([])
  })

  test('lets the role of the caller write its log and be attached, and denies EC2 to its code', () => {
    const [log, attach, deny, ...others] = statementsOf(gateway, 'caller')
    expect(others).toEqual([])
    expect(log).toMatchObject({
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    })
    expect(attach).toEqual({
      Effect: 'Allow',
      Action: [
        'ec2:AssignPrivateIpAddresses',
        'ec2:CreateNetworkInterface',
        'ec2:DeleteNetworkInterface',
        'ec2:DescribeNetworkInterfaces',
        'ec2:DescribeSubnets',
        'ec2:UnassignPrivateIpAddresses',
      ],
      Resource: '*',
    })
    expect(deny).toEqual({
      Effect: 'Deny',
      Action: 'ec2:*',
      Resource: '*',
      Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    })
  })

  test('lets execute and mcp alone invoke the caller, by the alias that they are told', () => {
    const [[alias = ''] = []] = resourcesOf(gateway, 'AWS::Lambda::Alias').filter(([id]) =>
      id.startsWith('Caller'),
    )
    const invokers = DOORS.filter((door) =>
      statementsOf(gateway, door).some(({ Resource }) => JSON.stringify(Resource).includes(alias)),
    )
    expect(alias).not.toBe('')
    expect(invokers).toEqual(['mcp', 'execute'])
    for (const door of invokers) {
      const about = statementsOf(gateway, door).filter(({ Resource }) =>
        JSON.stringify(Resource).includes(alias),
      )
      expect(about).toEqual([
        { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: { Ref: alias } },
      ])
      expect(variablesOf(door)).toMatchObject({ CALLER_FUNCTION: { Ref: alias } })
    }
    const told = DOORS.filter((door) => 'CALLER_FUNCTION' in variablesOf(door))
    expect(told).toEqual(['mcp', 'execute'])
  })

  test('watches the caller by two alarms, counts its crashes and names it for the runbooks', () => {
    const text = JSON.stringify(watch)
    expect(text).toContain('"Skillgate-dev-CallerErrors"')
    expect(text).toContain('"Skillgate-dev-CallerThrottles"')
    expect(
      Object.keys(watch.Resources).filter((id) => id.startsWith('FunctionsDiedIncaller')),
    ).toHaveLength(1)
    expect(Object.keys(watch.Outputs)).toEqual(
      expect.arrayContaining(['CallerFunction', 'CallerLogs']),
    )
  })
})

test('a stage without private hosts has nothing of the caller', () => {
  for (const template of [WITHOUT.gateway, WITHOUT.watch]) {
    const names = [...Object.keys(template.Resources), ...Object.keys(template.Outputs)]
    expect(names.filter((name) => /caller/i.test(name))).toEqual([])
    const text = JSON.stringify(template.Resources)
    expect(['CALLER_FUNCTION', 'VpcConfig', 'ec2:'].filter((word) => text.includes(word))).toEqual(
      [],
    )
  }
})

describe('the rules of private hosts', () => {
  const errorsOf = (stage: Partial<Stage>) => findStageErrors({ ...DEV, ...stage })

  test('a stage needs a network for its private hosts', () => {
    expect(errorsOf({ privateHosts: ['billing.corp.example'] })).toEqual([
      'vpcSubnetIds: is empty; give those of the network that has privateHosts',
      'vpcSecurityGroupIds: is empty; give those of the network that has privateHosts',
    ])
  })

  test('a network without private hosts is refused, since no function would stand there', () => {
    expect(errorsOf(NETWORK)).toEqual([
      'vpcSubnetIds: is set, and no function stands there without privateHosts; give privateHosts, or take it away',
      'vpcSecurityGroupIds: is set, and no function stands there without privateHosts; give privateHosts, or take it away',
    ])
  })

  test.each([
    '127.0.0.1:9001',
    'localhost',
    '[::1]',
    '127.8.8.8',
    '169.254.169.254',
    'sandbox.localdomain',
  ])('the host %s of the function itself is refused on AWS', (host) => {
    expect(errorsOf({ ...NETWORK, privateHosts: [host] })).toEqual([
      `privateHosts: is "${host}"; give a host of your network, not of the function itself`,
    ])
  })

  test('a stage on an emulator may list hosts of its own machine', () => {
    const stage = { ...EMULATED_STAGE, ...NETWORK, privateHosts: ['127.0.0.1:8443'] }
    expect(findStageErrors(stage)).toEqual([])
  })

  test('a reservation of a caller that is not there is refused', () => {
    expect(errorsOf({ reservedConcurrency: { caller: 5 } })).toEqual([
      'reservedConcurrency.caller: is set, and a stage without privateHosts has no caller; take it away',
    ])
  })

  test.each([
    ['vpcSubnetIds', 16, 'subnet-0123456789abcdef0'],
    ['vpcSecurityGroupIds', 5, 'sg-0123456789abcdef0'],
  ] as const)('the list %s has at most %i entries', (field, max, id) => {
    const stage = { ...NETWORK, privateHosts: ['billing.corp.example'] }
    const many = (count: number) => ({ ...stage, [field]: Array.from({ length: count }, () => id) })
    expect(errorsOf(many(max))).toEqual([])
    expect(errorsOf(many(max + 1))).toEqual([
      `${field}: has ${max + 1} entries; give at most ${max}`,
    ])
  })

  test.each([
    ['vpcSubnetIds', 'sg-0123456789abcdef0', 'a subnet such as subnet-0123456789abcdef0'],
    ['vpcSecurityGroupIds', 'default', 'a security group such as sg-0123456789abcdef0'],
  ] as const)('the list %s takes ids alone', (field, wrong, rule) => {
    const stage = { ...NETWORK, privateHosts: ['billing.corp.example'], [field]: [wrong] }
    expect(errorsOf(stage)).toEqual([`${field}: is "${wrong}"; give ${rule}`])
  })
})
