/** What the role of the sweep gets at the internal URL of execute: jobs are looked after, and nothing else. */
import { describe, expect, test } from 'vitest'
import { writeCredential } from '../../../adapters/internal-http/credential-header.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { contextOf, eventOf, MemoryResponse } from '../door-client.ts'

const CALL_ID = 'c'.repeat(43)
const SWEEP = 'arn:aws:sts::123456789012:assumed-role/Gateway-SweepRole-1/x'
const MESSAGES = 'arn:aws:sts::123456789012:assumed-role/Gateway-MessagesRole-1/x'

async function post(
  world: World,
  path: string,
  { body, headers = {}, userArn }: { userArn: string; body: object; headers?: object },
) {
  const roles = { sweep: 'Gateway-SweepRole-1' }
  const door = createExecuteDoor(world.ports, world.settings, undefined, roles)
  const event = eventOf('POST', path, { body: JSON.stringify(body), headers: { ...headers } })
  const requestContext = {
    ...event.requestContext,
    authorizer: { iam: { accountId: '1', userArn } },
  }
  const out = new MemoryResponse()
  await door({ ...event, requestContext }, out, contextOf())
  return out
}

async function call(world: World, ada: string, userArn: string) {
  const body = { skill: 'sg_weather', arguments: {} }
  const headers = {
    'x-skillgate-credential': writeCredential(credentialOf(ada)),
    'x-skillgate-call-id': CALL_ID,
    'x-skillgate-deadline-ms': String(START_MS + 10_000),
  }
  return post(world, '/v1/execute', { userArn, body, headers })
}

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { price: 1 })
  return { world, ada }
}

describe('the role of the sweep', () => {
  test('makes no call, and one of messages does', async () => {
    const { world, ada } = await ready()
    const refused = await call(world, ada, SWEEP)
    expect([refused.status, refused.json()['code']]).toEqual([403, 'forbidden'])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect((await call(world, ada, MESSAGES)).status).toBe(200)
  })

  test('voids no call', async () => {
    const { world, ada } = await ready()
    await call(world, ada, MESSAGES)
    const body = { uid: 'ada', callId: CALL_ID, reason: 'void' }
    expect((await post(world, '/v1/execute/void', { userArn: SWEEP, body })).status).toBe(403)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('has a job looked after', async () => {
    const { world } = await ready()
    const body = { uid: 'ada', callId: CALL_ID, does: 'end' }
    const out = await post(world, '/v1/execute/job', { userArn: SWEEP, body })
    expect([out.status, out.json()]).toEqual([200, { kind: 'none' }])
  })
})
