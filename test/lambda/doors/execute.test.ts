// The two URLs of the execute bundle: a user's rights on the public one, and the additional rights
// of our own functions, as IAM proves them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { writeCredential } from '../../../adapters/internal-http/credential-header.ts'
import { functionUrlExecute } from '../../../adapters/internal-http/execute-peer.ts'
import { functionUrlMessages } from '../../../adapters/internal-http/messages-peer.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { roleOf, testRegion } from '../credentials.ts'
import { creditsAfterwards, newUser, syncSkills, type User } from './people.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await syncSkills(world)
})
afterAll(() => world.stop())

type Body = Record<string, unknown>

async function post(path: string, headers: Record<string, string>, body: object) {
  const response = await fetch(`${world.executeUrl.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, response, body: (await response.json()) as Body }
}

function bearer(user: User): Record<string, string> {
  return { authorization: `Bearer ${user.key}` }
}

/** The execute door as the function with that role reaches it. */
function executeAs(role: string, secretAccessKey = roleOf(role).secretAccessKey) {
  return functionUrlExecute(signedAs(role, world.executeIamUrl.url, secretAccessKey))
}

function signedAs(role: string, url: string, secretAccessKey = roleOf(role).secretAccessKey) {
  const credentials = { ...roleOf(role), secretAccessKey }
  return { url: new URL(url), region: testRegion, credentials, clock: systemClock() }
}

const CALL_ID = 'call-of-the-tests-01'

function callAs(role: string, user: User, callId: string, secretAccessKey?: string) {
  return executeAs(role, secretAccessKey).execute(
    {
      credential: credentialOf(`Bearer ${user.key}`),
      body: { skill: 'sg_echo', arguments: { text: callId } },
      terms: { callId, deadlineMs: Date.now() + 15_000 },
    },
    AbortSignal.timeout(15_000),
    { alarm: systemClock().alarm, follow: () => {} },
  )
}

describe('the public URL', () => {
  test('accepts no internal header from a user: no call id, no credential of ours, no void', async () => {
    const bob = await newUser(world, 'bob', 10)
    const call = { skill: 'sg_echo', arguments: { text: 'hi' } }
    const ours = {
      'x-skillgate-call-id': CALL_ID,
      'x-skillgate-deadline-ms': '1',
      'x-skillgate-credential': writeCredential(credentialOf('Bearer nonsense')),
    }
    const answer = await post('/v1/execute', { ...bearer(bob), ...ours }, call)
    expect(answer.status).toBe(200)
    expect(answer.body['callId']).not.toBe(CALL_ID)
    const disguised = {
      'x-skillgate-credential': writeCredential(credentialOf(`Bearer ${bob.key}`)),
    }
    expect((await post('/v1/execute', disguised, call)).status).toBe(401)
    const asked = { uid: bob.uid, callId: answer.body['callId'], reason: 'void' }
    expect((await post('/v1/execute/void', bearer(bob), asked)).status).toBe(404)
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 9.5, creditsOnHold: 0 })
  })
})

describe('the URL for our own functions', () => {
  test('accepts a call id, and refunds the credits once for a void', async () => {
    const cyd = await newUser(world, 'cyd', 10)
    const answer = await callAs('messages', cyd, CALL_ID)
    expect(answer).toMatchObject({
      kind: 'success',
      body: { callId: CALL_ID, credits: { charged: 0.5, remaining: 9.5 } },
    })
    expect(await creditsAfterwards(world, cyd)).toEqual({ credits: 9.5, creditsOnHold: 0 })
    const voided = { uid: cyd.uid, callId: CALL_ID, reason: 'void' } as const
    await executeAs('sse').voidCall(voided)
    await executeAs('messages').voidCall(voided)
    expect(await creditsAfterwards(world, cyd)).toEqual({ credits: 10, creditsOnHold: 0 })
  })

  test('charges nothing for a call that was voided before it came', async () => {
    const dee = await newUser(world, 'dee', 10)
    await executeAs('sse').voidCall({ uid: dee.uid, callId: CALL_ID, reason: 'cancelled' })
    await callAs('messages', dee, CALL_ID)
    expect(await creditsAfterwards(world, dee)).toEqual({ credits: 10, creditsOnHold: 0 })
  })

  test('answers 403 to every other caller, before the function is invoked', async () => {
    const eve = await newUser(world, 'eve', 10)
    const before = world.execute.timeline.count('given')
    const target = `${world.executeIamUrl.url}/v1/execute`
    const bare = await fetch(target, { method: 'POST', headers: bearer(eve), body: '{}' })
    expect(bare.status).toBe(403)
    await expect(callAs('usage', eve, 'call-of-a-stranger')).rejects.toThrow()
    await expect(callAs('messages', eve, 'call-of-a-forger-1', 'a guess')).rejects.toThrow()
    expect(world.execute.timeline.count('given')).toBe(before)
    expect(world.executeIamUrl.refusals).toEqual([
      'no AWS4-HMAC-SHA256 Authorization header',
      'ASIATESTUSAGE may not call this URL',
      'the signature does not match',
    ])
  })

  test('makes no call for the sweep, which may only have jobs looked after', async () => {
    const eve = await newUser(world, 'eve-2', 10)
    await expect(callAs('sweep', eve, 'call-of-the-sweep-1')).resolves.toMatchObject({
      kind: 'problem',
      body: { code: 'forbidden' },
    })
    expect(await creditsAfterwards(world, eve)).toEqual({ credits: 10, creditsOnHold: 0 })
  })

  test('the URL of the messages function is closed to all but the front function', async () => {
    const bare = await fetch(`${world.messagesUrl.url}/v1/mcp/messages`, {
      method: 'POST',
      body: '',
    })
    expect(bare.status).toBe(403)
    const handed = {
      sessionId: 's',
      seq: 0,
      acceptedAtMs: 0,
      text: '{}',
      session: {
        hash: 'h',
        keyHash: 'k',
        uid: undefined,
        sealedCredential: undefined,
        createdAtMs: 0,
        lastPostAtMs: 0,
        aliveUntilMs: 0,
        endedAtMs: undefined,
        seq: 0,
        base: 0,
        pending: [],
      },
    }
    const door = functionUrlMessages(signedAs('execute', world.messagesUrl.url))
    await expect(door.handOn(handed)).rejects.toThrow()
    expect(world.messages.timeline.entries).toEqual([])
  })
})
