/** The execute door called by its event, and called in process as the twin does. */

import { describe, expect, test } from 'vitest'
import { runWithTrace } from '../../adapters/config/trace.ts'
import { inProcessExecute } from '../../adapters/internal-http/in-process-send.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import { credentialOf } from '../../bench/lib/credential.ts'
import { openCallScope } from '../../core/flow/access/call-scope.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { callsHere } from '../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { describeExecute } from './execute-contract.ts'

function direct({ caches, ports, settings }: World) {
  return callsHere({ ports, settings, caches, lists: makeToolListCache() })
}

describeExecute('by event', ({ log, ports, settings }) =>
  inProcessExecute(createExecuteDoor(ports, settings), { log }),
)

describeExecute('directly', direct)

describe('execute in the same process', () => {
  test('cuts and refunds a call at once when its caller stops waiting', async () => {
    const world = makeWorld()
    const ada = await world.user('ada', { credits: 10 })
    await world.skill('sg_sunny', { price: 2 })
    world.upstream.next({ kind: 'hang' })
    const leaving = new AbortController()
    const terms = {
      callId: '1q7v9k2m0-contract-contract',
      deadlineMs: world.clock.nowMs() + 15_000,
    }
    const body = { skill: 'sg_sunny', arguments: {} }
    const scope = openCallScope(world.ports)
    const call = { credential: credentialOf(ada), body, terms }
    const answered = direct(world).execute(call, leaving.signal, scope)
    await world.clock.settle()
    leaving.abort('gone')
    expect(await answered).toMatchObject({ kind: 'problem', body: { code: 'cancelled' } })
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    await scope.close(answered)
    expect(world.clock.sleepers()).toBe(0)
  })
  test('calls that are settled in one turn are each logged in their own trace', async () => {
    const world = makeWorld()
    const written: string[] = []
    world.ports.log = makeJsonLog({ write: (line) => written.push(line), clock: world.clock })
    await world.skill('sg_sunny', { price: 2 })
    const door = direct(world)
    const traceIds = { ada: '1'.repeat(32), bob: '2'.repeat(32) }
    await Promise.all(
      Object.entries(traceIds).map(async ([uid, traceId]) => {
        const authorization = await world.user(uid, { credits: 10 })
        const terms = {
          callId: `1q7v9k2m0-contract-${uid}`,
          deadlineMs: world.clock.nowMs() + 15_000,
        }
        const call = {
          credential: credentialOf(authorization),
          body: { skill: 'sg_sunny', arguments: {} },
          terms,
        }
        const { signal } = new AbortController()
        const scope = openCallScope(world.ports)
        await runWithTrace(`00-${traceId}-b7ad6b7169203331-01`, () =>
          scope.close(door.execute(call, signal, scope)),
        )
      }),
    )
    await world.clock.settle()
    const lines = written.map((line) => JSON.parse(line)).filter(({ event }) => event === 'call')
    expect(Object.fromEntries(lines.map(({ traceId, uid }) => [uid, traceId]))).toEqual(traceIds)
  })
})
