/**
 * A stage whose Gateway table was restored uses the restored one in every place that names a table,
 * and goes back by the same parameters.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addStacks } from '../../lib/gateway-app.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { newApp, resourcesOf, stubBundles, synthesize } from './synthesized.ts'

const STREAM =
  'arn:aws:dynamodb:eu-central-1:111111111111:table/restored/stream/2026-11-27T18:00:00.000'
const ENV = { account: '111111111111', region: 'eu-central-1' }
const STAGE = getStage('prod')
const OWN = synthesize(STAGE, ENV)
const RESTORED = synthesize(STAGE, ENV, {
  RestoredGatewayTable: 'restored',
  RestoredGatewayStream: STREAM,
})

/** Texts in a template that name the data stack's Gateway table. */
function countOwn(template: object): number {
  return (JSON.stringify(template).match(/Gateway43CB3636/g) ?? []).length
}

test('no function, policy, mapping, alarm or output of a restored stage names the table of the data stack', () => {
  for (const part of ['gateway', 'watch'] as const) {
    expect([part, countOwn(OWN[part]) > 0, countOwn(RESTORED[part])]).toEqual([part, true, 0])
  }
})

test('the functions of a restored stage have the restored table, and usage reads its stream', () => {
  const functions = Object.values(RESTORED.gateway.Resources).filter(
    ({ Type }) => Type === 'AWS::Lambda::Function',
  )
  const tables = functions.flatMap(({ Properties }) => {
    const { Variables } = Object(Properties['Environment'])
    return Variables?.GATEWAY_TABLE === undefined ? [] : [Variables.GATEWAY_TABLE]
  })
  expect(tables).toEqual(Array(7).fill('restored'))
  const mapping = Object.values(RESTORED.gateway.Resources).find(
    ({ Type }) => Type === 'AWS::Lambda::EventSourceMapping',
  )
  expect(mapping?.Properties).toMatchObject({
    EventSourceArn: STREAM,
    StartingPosition: 'TRIM_HORIZON',
  })
  expect(RESTORED.gateway.Outputs['GatewayTableName']?.Value).toBe('restored')
})

test('the template refers to the table of the data stack also when another is used, so that no export is lost', () => {
  const file = join(OWN.assembly.directory, 'Skillgate-prod-Gateway.template.json')
  const { Conditions, Parameters } = JSON.parse(readFileSync(file, 'utf8'))
  expect(Conditions.GatewayTableIsRestored).toEqual({
    'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'RestoredGatewayTable' }, ''] }],
  })
  expect(Parameters).toMatchObject({
    RestoredGatewayTable: { Type: 'String', Default: '' },
    RestoredGatewayStream: { Type: 'String', Default: '' },
  })
})

test('a restore changes nothing of the data stack', () => {
  expect(RESTORED.data).toEqual(OWN.data)
})

test('functions that name the table are new versions in a template that knows of a restored one, and no other function is', () => {
  const stage: Stage = {
    ...getStage('dev'),
    vpcSubnetIds: ['subnet-0123456789abcdef0'],
    vpcSecurityGroupIds: ['sg-0123456789abcdef0'],
    privateHosts: ['billing.corp.example'],
  }
  const versions = (restored: string): readonly string[] => {
    const app = newApp()
    app.node.setContext('restoredTable', restored)
    addStacks(app, { stage, env: ENV, bundles: stubBundles() })
    const { template } = app.synth().getStackByName('Skillgate-dev-Gateway')
    return resourcesOf(template, 'AWS::Lambda::Version').map(([id]) => id)
  }
  const own = versions('')
  expect(own).toHaveLength(8)
  const same = versions('Gateway-to-20261123T220000Z').filter((id) => own.includes(id))
  expect(same).toEqual([expect.stringMatching(/^CallerCurrentVersion/)])
})
