/** A stage that names functions for skills: who may invoke which, and never the gateway's own. */
import { expect, test } from 'vitest'
import { DOORS, type Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { allows } from './evaluate.ts'
import { rawPolicies, readPolicies } from './function-policies.ts'

const ACCOUNT = { region: 'eu-west-1', accountId: '111122223333' }
const WORLD = {
  ...ACCOUNT,
  gatewayTable: 'arn:aws:dynamodb:eu-west-1:111122223333:table/gateway',
  sessionsTable: 'arn:aws:dynamodb:eu-west-1:111122223333:table/sessions',
  sessionsStream: 'arn:aws:dynamodb:eu-west-1:111122223333:table/sessions/stream/news',
  userSecretsKey: 'arn:aws:kms:eu-west-1:111122223333:key/one',
  adminSecret: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:admin',
  internalSecret: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:internal',
}
const FOREIGN = 'arn:aws:lambda:us-east-1:444455556666:function:rates'
const STAGE = getStage('dev')
const named = (...lambdaUpstreams: string[]) =>
  readPolicies(rawPolicies({ ...STAGE, lambdaUpstreams }, WORLD))
const WITH = named('orders', 'stock-*', FOREIGN)
const WIDE = named('Skill*', 'arn:aws:lambda:us-east-1:111122223333:function:Skill*')
const WITHOUT = named()

const own = (name: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}`
const invokers = (policies: typeof WITH, resource: string): readonly Door[] =>
  DOORS.filter((door) =>
    allows(policies[door], { action: 'lambda:InvokeFunction', resource, context: {} }),
  )

test.each([
  own('orders'),
  own('orders:live'),
  own('orders:$LATEST'),
  own('stock-eu'),
  own('stock-eu:7'),
  FOREIGN,
  `${FOREIGN}:live`,
])('messages, mcp and execute alone may invoke %s, which the stage names', (resource) => {
  expect(invokers(WITH, resource)).toEqual(['messages', 'mcp', 'execute'])
})

test.each([
  own('orders-admin'),
  own('order'),
  own('stock'),
  FOREIGN.replace('us-east-1', 'eu-west-1'),
  FOREIGN.replace('444455556666', '777788889999'),
  `${FOREIGN}s`,
])('no function may invoke %s, which the stage does not name', (resource) => {
  expect(invokers(WITH, resource)).toEqual([])
})

test('no pattern of a stage lets a function invoke one of the gateway itself', () => {
  const name = own('Skillgate-dev-Gateway-Admin0123-abc')
  expect(invokers(WIDE, name)).toEqual([])
  expect(invokers(WIDE, `${name}:internal`)).toEqual([])
  expect(invokers(WIDE, name.replace('eu-west-1', 'us-east-1'))).toEqual([])
  expect(invokers(WIDE, own('Skillet'))).toEqual(['messages', 'mcp', 'execute'])
})

test('a stage without functions for skills grants none, and finds none by tags', () => {
  expect(invokers(WITHOUT, own('orders'))).toEqual([])
  const finders = (policies: typeof WITH) =>
    DOORS.filter((door) =>
      allows(policies[door], { action: 'tag:GetResources', resource: '*', context: {} }),
    )
  expect(finders(WITHOUT)).toEqual([])
  expect(finders(WITH)).toEqual(['admin'])
})
