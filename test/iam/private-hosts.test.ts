/**
 * Who may invoke the function caller, by the policies of a stage with private hosts: its own callers,
 * and by the one alias alone.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeInvoke } from '../../adapters/upstream/caller/invoke-caller.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { roleOf, testAccountId, testRegion } from '../lambda/credentials.ts'
import { type InvokeApi, startInvokeApi } from '../lambda/invoke-api.ts'
import { type Authorization, allows } from './evaluate.ts'
import { aliasArn, rawPolicies, readPolicies } from './function-policies.ts'

const ACCOUNT = { region: testRegion, accountId: testAccountId }
const arn = (service: string, name: string) =>
  `arn:aws:${service}:${testRegion}:${testAccountId}:${name}`
const STAGE: Stage = {
  ...getStage('dev'),
  privateHosts: ['billing.corp.example'],
  vpcSubnetIds: ['subnet-0123456789abcdef0'],
  vpcSecurityGroupIds: ['sg-0123456789abcdef0'],
}
const POLICIES = readPolicies(
  rawPolicies(STAGE, {
    ...ACCOUNT,
    gatewayTable: arn('dynamodb', 'table/gateway'),
    sessionsTable: arn('dynamodb', 'table/sessions'),
    sessionsStream: arn('dynamodb', 'table/sessions/stream/replies'),
    userSecretsKey: arn('kms', 'key/11111111-2222-3333-4444-555555555555'),
    adminSecret: arn('secretsmanager', 'secret:AdminSecret-AbC123'),
    internalSecret: arn('secretsmanager', 'secret:InternalSecret-AbC123'),
  }),
)
const CALLER = aliasArn(ACCOUNT, 'caller', 'internal')

function mayInvoke(door: Door, resource = CALLER): boolean {
  const asked: Authorization = { action: 'lambda:InvokeFunction', resource, context: {} }
  return allows(POLICIES[door], asked)
}

let api: InvokeApi
beforeAll(async () => {
  api = await startInvokeApi({
    functionArn: CALLER,
    callers: DOORS.filter((door) => mayInvoke(door)).map(roleOf),
    invoke: async () => ({ kind: 'buffered', requestId: 'r', payload: '{}' }),
  })
})
afterAll(() => api.stop())

function invoke(door: Door) {
  const endpoint = new URL(api.url)
  const caller = { functionArn: CALLER, endpoint, region: testRegion, credentials: roleOf(door) }
  return makeInvoke(caller, Date.now)('{}', new AbortController().signal)
}

describe('the function caller', () => {
  test.each(['mcp', 'messages', 'execute'] as const)('may be invoked by %s', async (door) => {
    expect(await invoke(door)).toEqual({ kind: 'answered', text: '{}' })
  })

  test.each(['sse', 'admin', 'sweep', 'usage'] as const)(
    'may not be invoked by %s',
    async (door) => {
      expect(await invoke(door)).toEqual({ kind: 'not-run', why: 'AccessDeniedException' })
    },
  )

  test.each(['mcp', 'messages', 'execute'] as const)(
    'may be invoked by %s by its alias alone',
    (door) => {
      const others = [
        aliasArn(ACCOUNT, 'caller', 'public'),
        aliasArn(ACCOUNT, 'caller', '$LATEST'),
        CALLER.replace(/:internal$/, ''),
        `${CALLER}-of-others`,
        CALLER.replace(testAccountId, '999999999999'),
        ...DOORS.filter((one) => one !== 'execute').map((one) =>
          aliasArn(ACCOUNT, one, 'internal'),
        ),
      ]
      expect(mayInvoke(door)).toBe(true)
      expect(others.filter((resource) => mayInvoke(door, resource))).toEqual([])
    },
  )

  test('may be invoked by nobody in a stage without private hosts', () => {
    const without = rawPolicies(getStage('dev'), {
      ...ACCOUNT,
      gatewayTable: 'g',
      sessionsTable: 's',
      sessionsStream: 'r',
      userSecretsKey: 'k',
      adminSecret: 'a',
      internalSecret: 'i',
    })
    expect(JSON.stringify(without)).not.toContain('function:caller')
  })
})
