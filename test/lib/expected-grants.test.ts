/**
 * A template is read strictly: what is not of the shape of our grants is an error, never passed
 * over.
 */
import { describe, expect, test } from 'vitest'
import { statementsOfRole, streamGrants, tableGrants } from './expected-grants.ts'

const TABLES = { gateway: { 'Fn::GetAtt': ['G', 'Arn'] }, sessions: 'arn:s' }
const KEYS = { 'dynamodb:LeadingKeys': ['streams', 'answer:*'] }
const NULL = { Null: { 'dynamodb:LeadingKeys': 'false' } }
const GOOD = {
  Effect: 'Allow',
  Action: ['dynamodb:Query', 'dynamodb:GetItem'],
  Resource: { 'Fn::GetAtt': ['G', 'Arn'] },
  Condition: { 'ForAllValues:StringLike': KEYS, ...NULL },
}
const STREAM = { Effect: 'Allow', Action: 'dynamodb:GetRecords', Resource: 'arn:s/stream/1' }
const OTHER = { Effect: 'Allow', Action: ['xray:PutTraceSegments'], Resource: '*' }

describe('the grants of tables', () => {
  test('are listed per action, with their keys in order; other services and streams are left out', () => {
    expect(tableGrants([OTHER, GOOD, STREAM], TABLES)).toEqual([
      { table: 'gateway', action: 'dynamodb:GetItem', keys: ['answer:*', 'streams'] },
      { table: 'gateway', action: 'dynamodb:Query', keys: ['answer:*', 'streams'] },
    ])
    expect(streamGrants([OTHER, GOOD, STREAM])).toEqual([STREAM])
  })

  test.each([
    ['another table', { Resource: 'arn:other' }],
    ['every resource', { Resource: '*' }],
    ['two tables', { Resource: ['arn:s', 'arn:g'] }],
    ['every action', { Action: '*' }],
    ['every action of DynamoDB', { Action: 'dynamodb:*' }],
    ['actions by their beginning', { Action: ['dynamodb:Get*'] }],
    ['whatever is not an action', { Action: undefined, NotAction: 'xray:*' }],
    ['a stream beside a table', { Action: ['dynamodb:GetRecords', 'dynamodb:GetItem'] }],
    ['no condition', { Condition: undefined }],
    ['an open null case', { Condition: { 'ForAllValues:StringLike': KEYS } }],
    ['any of the keys', { Condition: { 'ForAnyValue:StringLike': KEYS, ...NULL } }],
    [
      'one more condition',
      { Condition: { ...GOOD.Condition, Bool: { 'aws:ViaAWSService': 'true' } } },
    ],
    ['a denial', { Effect: 'Deny' }],
  ])('are refused with %s', (_, change) => {
    expect(() => tableGrants([{ ...GOOD, ...change }], TABLES)).toThrow(
      'not as grants.ts makes them',
    )
  })
})

test('a role has its own statements and those of every policy attached to it', () => {
  const policy = (action: string) => ({ Statement: [{ Action: action }] })
  const Resources = {
    A: { Properties: { Policies: [{ PolicyDocument: policy('a:Own') }] } },
    P: { Properties: { Roles: [{ Ref: 'A' }, { Ref: 'B' }], PolicyDocument: policy('a:Both') } },
    Q: { Properties: { Roles: [{ Ref: 'B' }], PolicyDocument: policy('a:Other') } },
  }
  expect(statementsOfRole({ Resources }, 'A')).toEqual([{ Action: 'a:Own' }, { Action: 'a:Both' }])
})

test('a managed policy by name is refused, because its content is unknown here', () => {
  const Resources = { A: { Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/X'] } } }
  expect(() => statementsOfRole({ Resources }, 'A')).toThrow('A: has managed policies')
})
