/** A stage whose skills may assume roles and sign for hosts: which functions get which permission. */
import { expect, test } from 'vitest'
import { DOORS, type Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { allows } from '../iam/evaluate.ts'
import { rawPolicies, readPolicies } from '../iam/function-policies.ts'
import { ACCOUNT } from '../iam/judged-world.ts'
import { synthesize } from './synthesized.ts'

const LISTED = 'arn:aws:iam::111111111111:role/team/reader'
const OTHER = 'arn:aws:iam::111111111111:role/team/reader2'
const arn = (service: string, name: string) => `arn:aws:${service}:us-east-1:123456789012:${name}`
const WORLD = {
  ...ACCOUNT,
  gatewayTable: arn('dynamodb', 'table/gateway'),
  sessionsTable: arn('dynamodb', 'table/sessions'),
  sessionsStream: arn('dynamodb', 'table/sessions/stream/replies'),
  userSecretsKey: arn('kms', 'key/11111111-2222-3333-4444-555555555555'),
  adminSecret: arn('secretsmanager', 'secret:AdminSecret-AbC123'),
  internalSecret: arn('secretsmanager', 'secret:InternalSecret-AbC123'),
}
const STAGE = {
  ...getStage('dev'),
  signedAccess: [LISTED, 'a1.execute-api.us-east-1.amazonaws.com'],
}
const WITH = readPolicies(rawPolicies(STAGE, WORLD))
const WITHOUT = readPolicies(rawPolicies(getStage('dev'), WORLD))
const OUTPUTS = Object.keys(synthesize(STAGE).gateway.Outputs)

const assumers = (policies: typeof WITH, action: string, resource: string) =>
  DOORS.filter((door) => allows(policies[door], { action, resource, context: {} }))

test('only the functions that call upstreams may assume a listed role', () => {
  expect(assumers(WITH, 'sts:AssumeRole', LISTED)).toEqual(['messages', 'mcp', 'execute'])
})

test('no function may assume another role, or a role of a stage that lists none', () => {
  expect(assumers(WITH, 'sts:AssumeRole', OTHER)).toEqual([])
  expect(assumers(WITHOUT, 'sts:AssumeRole', LISTED)).toEqual([])
})

test('a listed host gives the functions no permission: its own policy must name them', () => {
  const added = (door: Door) => {
    const before = new Set(WITHOUT[door].flatMap(({ actions }) => actions))
    return WITH[door].flatMap(({ actions }) => actions).filter((action) => !before.has(action))
  }
  expect(DOORS.map((door) => [door, ...added(door)])).toEqual([
    ['sse'],
    ['messages', 'sts:AssumeRole'],
    ['mcp', 'sts:AssumeRole'],
    ['execute', 'sts:AssumeRole'],
    ['admin'],
    ['sweep'],
    ['usage'],
  ])
})

test('the stack tells which roles the policies of roles and hosts must name', () => {
  expect(OUTPUTS).toEqual(
    expect.arrayContaining(['McpRoleArn', 'MessagesRoleArn', 'ExecuteRoleArn']),
  )
})
