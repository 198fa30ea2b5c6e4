/**
 * The deployed code and environment with streaming: under AWS's own runtime client, with streaming
 * function URLs in front and the emulator's DynamoDB and Secrets Manager behind. messages and
 * execute are functions of their own here, reached by signed requests alone.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import { credentialOf } from '../../bench/lib/credential.ts'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, syncSkill } from '../e2e/admin.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { roleOf, testRegion } from '../lambda/credentials.ts'
import { openBareStream, toolCall } from '../lambda/doors/agents.ts'
import { type DeployedWorld, startDeployedWorld } from './deployed-world.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'

let deployed: Deployment
let world: DeployedWorld
/** The administrator's way in through the admin function of this world. */
let admin: Pick<Deployment, 'admin' | 'internalApiSecret' | 'url'>
let user: { uid: string; key: string }
const echo = `sg_${freshName('echo')}`
const hold = `sg_${freshName('hold')}`

/** The pause between two answers of the upstream: far more than a round of the tail takes. */
const APART_MS = 400

beforeAll(async () => {
  deployed = await deploymentOfProcess()
  world = await startDeployedWorld(deployed)
  const { internalApiSecret } = deployed
  admin = { admin: `${world.adminApi.url}/v1/admin`, internalApiSecret, url: world.upstream.url }
  user = await createUser(admin, { username: freshName('fay'), credits: 10 })
  await syncSkill(admin, { id: echo, at: `${world.upstream.url}/echo`, price: 0.5 })
  await syncSkill(admin, { id: hold, at: `${world.upstream.url}/hold`, price: 1 })
})
afterAll(() => world.stop())

/** Once nothing is on hold: a call is settled after its answer. */
async function settledBalance(): Promise<number> {
  await expect.poll(async () => (await balanceOf(admin, user.uid)).onHold).toBe(0)
  return (await balanceOf(admin, user.uid)).credits
}

describe('a stream', () => {
  test('begins at once, and sends each event when it happens', async () => {
    const stream = await openBareStream(world, user.key)
    const { timeline } = world.sse
    const chunks = () => timeline.of(stream.requestId).filter(({ kind }) => kind === 'chunk')
    // The comment that pushes an event out may have come by now.
    const begun = chunks().filter(({ text }) => !text?.startsWith(':'))
    expect(begun.map(({ text }) => text?.split('\n')[1])).toEqual(['event: endpoint'])
    for (const step of ['first', 'second']) {
      await stream.post(toolCall(step, hold, { step }))
      await world.upstream.arrived(step)
    }
    world.upstream.open('second')
    expect(await stream.nextReply()).toMatchObject({ id: 'second' })
    // A host that kept chunks back would send both together.
    await sleep(APART_MS)
    world.upstream.open('first')
    expect(await stream.nextReply()).toMatchObject({ id: 'first' })
    // News of the tools, which other tests push meanwhile, is no reply.
    const events = chunks().filter(
      ({ text }) => text?.startsWith('event: message') && !text.includes('list_changed'),
    )
    const [second, first] = events.map(({ atMs }) => atMs)
    expect(events).toHaveLength(2)
    expect(Number(first) - Number(second)).toBeGreaterThanOrEqual(APART_MS)
    // All of it comes before the end of the answer, which is minutes away.
    expect(timeline.kinds(stream.requestId)).not.toContain('responseEnd')
    stream.leave()
  })
})

describe('the execute function behind AWS_IAM', () => {
  function executeAs(role: string) {
    const url = new URL(world.executeIamUrl.url)
    return functionUrlExecute({
      url,
      region: testRegion,
      credentials: roleOf(role),
      clock: systemClock(),
    })
  }

  function callAs(role: string, callId: string) {
    return executeAs(role).execute(
      {
        credential: credentialOf(`Bearer ${user.key}`),
        body: { skill: echo, arguments: { text: callId } },
        terms: { callId, deadlineMs: Date.now() + 15_000 },
      },
      AbortSignal.timeout(15_000),
      { alarm: systemClock().alarm, follow: () => {} },
    )
  }

  test('the internal URL runs and voids the calls of our own functions', async () => {
    const before = await settledBalance()
    const callId = freshName('call-of-the-suite-')
    const answer = await callAs('messages', callId)
    expect(answer.kind).toBe('success')
    expect(await settledBalance()).toBe(before - 0.5)
    await executeAs('sse').voidCall({ uid: user.uid, callId, reason: 'void' })
    expect(await balanceOf(admin, user.uid)).toEqual({ credits: before, onHold: 0 })
  })

  test('the internal URL refuses callers that sign as another role, and unsigned ones', async () => {
    const before = world.executeIamUrl.refusals.length
    await expect(callAs('usage', freshName('call-of-the-suite-'))).rejects.toThrow()
    // The sweep may reach that URL for jobs, and makes no call.
    const ofSweep = await callAs('sweep', freshName('call-of-the-suite-'))
    expect(ofSweep).toMatchObject({ kind: 'problem', body: { code: 'forbidden' } })
    const asked = { uid: user.uid, callId: freshName('call-of-the-suite-'), reason: 'void' }
    const iamUrl = `${world.executeIamUrl.url}/v1/execute/void`
    expect((await postJson(iamUrl, asked, bearer(user.key))).status).toBe(403)
    expect(world.executeIamUrl.refusals).toHaveLength(before + 2)
  })

  test('the internal URL has the void, and the public URL has none', async () => {
    const asked = { uid: user.uid, callId: freshName('call-of-the-suite-'), reason: 'void' }
    const publicUrl = `${world.executeUrl.url}/v1/execute/void`
    const answer = await postJson(publicUrl, asked, bearer(user.key))
    expect([answer.status, answer.json()['code']]).toEqual([404, 'not_found'])
  })
})
