/** The permissions of each function for the key of users' secrets. */
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CfnRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { describe, expect, test } from 'vitest'
import type { SecretsNeeds } from '../../core/flow/execute/load-secrets.ts'
import type { SetSecretsNeeds } from '../../core/flow/login/set-secrets.ts'
import type { AdminPorts } from '../../lambdas/admin/door.ts'
import { SEAL_USES } from '../../lib/door-uses.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import { grantSecretsKey } from '../../lib/grants.ts'
import { statementsOfRole } from './expected-grants.ts'

const KEY_ARN = 'arn:aws:kms:eu-west-1:111111111111:key/11111111-2222-3333-4444-555555555555'

const TEMPLATE = synthesized()

const WHOLE_PLACE = {
  'ForAllValues:StringEquals': {
    'kms:EncryptionContextKeys': ['uid', 'skillId', 'name', 'binding'],
  },
  Null: {
    'kms:EncryptionContext:uid': 'false',
    'kms:EncryptionContext:skillId': 'false',
    'kms:EncryptionContext:name': 'false',
    'kms:EncryptionContext:binding': 'false',
  },
}

const WHOLE_SHARED_PLACE = {
  'ForAllValues:StringEquals': {
    'kms:EncryptionContextKeys': ['owner', 'skillId', 'name', 'binding'],
  },
  StringEquals: { 'kms:EncryptionContext:owner': 'gateway' },
  Null: {
    'kms:EncryptionContext:skillId': 'false',
    'kms:EncryptionContext:name': 'false',
    'kms:EncryptionContext:binding': 'false',
  },
}

describe("the key of users' secrets", () => {
  test.each<[Door, string | readonly string[], string]>([
    ['admin', 'kms:GenerateDataKey', 'kms:GenerateDataKey'],
    ['execute', ['kms:Decrypt', 'kms:GenerateDataKey'], 'kms:Decrypt'],
    ['mcp', ['kms:Decrypt', 'kms:GenerateDataKey'], 'kms:Decrypt'],
    ['messages', ['kms:Decrypt', 'kms:GenerateDataKey'], 'kms:Decrypt'],
  ])(
    'the role of %s may do %s with the key for a whole place of a user, %s for one of the gateway, and nothing else',
    (door, ofUsers, shared) => {
      expect(statementsOfRole(TEMPLATE, door)).toEqual([
        { Action: ofUsers, Effect: 'Allow', Resource: KEY_ARN, Condition: WHOLE_PLACE },
        { Action: shared, Effect: 'Allow', Resource: KEY_ARN, Condition: WHOLE_SHARED_PLACE },
      ])
    },
  )

  test('other roles may do nothing with the key', () => {
    const allowed = DOORS.filter((door) => statementsOfRole(TEMPLATE, door).length > 0)
    expect(allowed).toEqual(['messages', 'mcp', 'execute', 'admin'])
  })
})

test('each door asks for the half of the seals that it may use, as its types say', () => {
  const admin: { [half in keyof AdminPorts['secretSeals']]: true } = { seal: true }
  const ofCalls: { [half in keyof SecretsNeeds['secretSeals']]: true } = { open: true, seal: true }
  const mcp: {
    [half in keyof (SecretsNeeds['secretSeals'] & SetSecretsNeeds['secretSeals'])]: true
  } = { open: true, seal: true }
  expect(SEAL_USES).toMatchObject({
    admin: { ofUsers: Object.keys(admin) },
    execute: { ofUsers: Object.keys(ofCalls) },
    mcp: { ofUsers: Object.keys(mcp) },
    messages: { ofUsers: Object.keys(ofCalls) },
  })
})

function synthesized(): unknown {
  const stack = new Stack(new App(), 'Throwaway')
  for (const door of DOORS) {
    const role = new Role(stack, door, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    const { defaultChild } = role.node
    if (defaultChild instanceof CfnRole) defaultChild.overrideLogicalId(door)
    grantSecretsKey(door, role, { keyArn: KEY_ARN })
  }
  return Template.fromStack(stack).toJSON()
}
