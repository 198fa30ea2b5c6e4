/** Access to the functions by URL, and its permissions. */
import { describe, expect, test } from 'vitest'
import { DOORS } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { statementsOfRole } from './expected-grants.ts'
import { resourcesOf, synthesize } from './synthesized.ts'

const { gateway } = synthesize(getStage('dev'))
const PUBLIC_ALIAS = { Ref: 'ExecuteAliaspublicA6A32225' }
const INTERNAL_ALIAS = { Ref: 'ExecuteAliasinternalDFCF2201' }
const MESSAGES_ALIAS = { Ref: 'MessagesAliasinternal7A6E3BEB' }
const SSE_ALIAS = { Ref: 'SseAliaspublic3F1A354A' }
const MCP_ALIAS = { Ref: 'McpAliaspublicE1353A3B' }
const MESSAGES = { 'Fn::GetAtt': ['Messages804FA4EB', 'Arn'] }
const SSE = { 'Fn::GetAtt': ['SseACC7738E', 'Arn'] }
const MCP = { 'Fn::GetAtt': ['Mcp32112EE5', 'Arn'] }
const EXECUTE = { 'Fn::GetAtt': ['Execute9719B345', 'Arn'] }

const ROLES = {
  sse: 'SseRole53FA6C15',
  messages: 'MessagesRole969FAAA4',
  mcp: 'McpRoleA027B6FA',
  execute: 'ExecuteRole8FE1474C',
  admin: 'AdminRole38563C57',
  sweep: 'SweepRole19075C26',
  usage: 'UsageRole386ADEF6',
}

describe('the URLs', () => {
  test('stream, all five, each of an alias: three are public, and two are for signed requests', () => {
    const urls = resourcesOf(gateway, 'AWS::Lambda::Url').map(([, url]) => url)
    const streamed = { InvokeMode: 'RESPONSE_STREAM' }
    expect(urls).toEqual([
      { TargetFunctionArn: EXECUTE, Qualifier: 'public', AuthType: 'NONE', ...streamed },
      { TargetFunctionArn: EXECUTE, Qualifier: 'internal', AuthType: 'AWS_IAM', ...streamed },
      { TargetFunctionArn: MESSAGES, Qualifier: 'internal', AuthType: 'AWS_IAM', ...streamed },
      { TargetFunctionArn: MCP, Qualifier: 'public', AuthType: 'NONE', ...streamed },
      { TargetFunctionArn: SSE, Qualifier: 'public', AuthType: 'NONE', ...streamed },
    ])
  })

  test('public URLs have both permissions that they need, and no other URL is open to everyone', () => {
    const open = resourcesOf(gateway, 'AWS::Lambda::Permission')
      .map(([, permission]) => permission)
      .filter(({ Principal }) => Principal === '*')
    const byUrl = {
      Action: 'lambda:InvokeFunctionUrl',
      FunctionUrlAuthType: 'NONE',
      Principal: '*',
    }
    const behindUrl = {
      Action: 'lambda:InvokeFunction',
      InvokedViaFunctionUrl: true,
      Principal: '*',
    }
    expect(open).toEqual([
      { FunctionName: PUBLIC_ALIAS, ...byUrl },
      { FunctionName: PUBLIC_ALIAS, ...behindUrl },
      { FunctionName: MCP_ALIAS, ...byUrl },
      { FunctionName: MCP_ALIAS, ...behindUrl },
      { FunctionName: SSE_ALIAS, ...byUrl },
      { FunctionName: SSE_ALIAS, ...behindUrl },
    ])
  })
})

/** By a URL that asks for a signature alone, and by no other way into the same function. */
function byUrlOnly(resource: object | readonly object[]) {
  return [
    {
      Effect: 'Allow',
      Action: 'lambda:InvokeFunctionUrl',
      Resource: resource,
      Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'AWS_IAM' } },
    },
    {
      Effect: 'Allow',
      Action: 'lambda:InvokeFunction',
      Resource: resource,
      Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
    },
  ]
}

describe('the calls among our own roles', () => {
  const callsOf = (door: keyof typeof ROLES) =>
    statementsOfRole(gateway, ROLES[door]).filter(({ Action }) =>
      JSON.stringify(Action).includes('lambda:'),
    )

  test('the role of sse calls messages, and execute by its internal alias, since it voids calls', () => {
    expect(callsOf('sse')).toEqual(byUrlOnly([INTERNAL_ALIAS, MESSAGES_ALIAS]))
  })

  test.each(['messages', 'admin', 'sweep'] as const)(
    '%s calls execute by its internal alias',
    (door) => {
      expect(callsOf(door)).toEqual(byUrlOnly(INTERNAL_ALIAS))
    },
  )

  test('no other role calls a function', () => {
    const callers = ['sse', 'messages', 'admin', 'sweep']
    expect(DOORS.filter((door) => callsOf(door).length > 0)).toEqual(callers)
  })
})
