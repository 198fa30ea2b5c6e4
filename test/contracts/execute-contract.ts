/**
 * Contract of the port ExecuteDoor, as our own doors use it: by whatever transport a call reaches
 * the flow, the answer and the movement of money are the same.
 */

import { beforeEach, describe, expect, test } from 'vitest'
import { credentialOf } from '../../bench/lib/credential.ts'
import type { ExecuteAnswer, ExecuteBody } from '../../core/call/execute.ts'
import { Fault } from '../../core/errors.ts'
import { openCallScope } from '../../core/flow/access/call-scope.ts'
import type { ExecuteDoor } from '../../core/ports/sessions.ts'
import { makeWorld, type World } from '../core/flow/world.ts'

export type MakeExecute = (world: World) => ExecuteDoor

const CALL_ID = '1q7v9k2m0-contract-contract'
const UPSTREAM_ASKS = JSON.stringify({
  resultType: 'input_required',
  inputRequests: { to: { method: 'elicitation/create', params: { message: 'To whom?' } } },
  requestState: 'round 1',
})

export function describeExecute(name: string, makeExecute: MakeExecute): void {
  describe(`${name}: execute`, () => {
    let world: World
    let door: ExecuteDoor
    let ada: string

    beforeEach(async () => {
      world = makeWorld()
      door = makeExecute(world)
      ada = await world.user('ada', { credits: 10 })
      await world.skill('sg_sunny', { price: 2 })
      await world.skill('sg_asks', { price: 2, config: { response: { as: 'mcp' } } })
    })

    const call = (body: ExecuteBody, more: Partial<Call> = {}) => {
      const { authorization = ada, callId = CALL_ID, deadlineMs, paramHeaders, signal } = more
      const { idempotencyKey } = more
      const terms = {
        callId,
        deadlineMs: deadlineMs ?? world.clock.nowMs() + 15_000,
        ...(paramHeaders === undefined ? {} : { paramHeaders }),
      }
      const scope = openCallScope(world.ports)
      scope.release()
      return door.execute(
        { credential: credentialOf(authorization), body, terms, idempotencyKey },
        signal ?? new AbortController().signal,
        scope,
      )
    }
    const sunny: ExecuteBody = { skill: 'sg_sunny', arguments: {} }

    test('a success has its result and its price, and is settled after the answer', async () => {
      const answer = await call(sunny)
      expect(answer).toEqual({
        kind: 'success',
        body: {
          callId: CALL_ID,
          skillId: 'sg_sunny',
          source: 'official',
          content: [{ type: 'text', text: '{"sunny":true}' }],
          structuredContent: { sunny: true },
          isError: false,
          credits: { charged: 2, refunded: 0, remaining: 8 },
          durationMs: 0,
        },
      })
      await world.clock.settle()
      expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
    })

    test('a failure is a problem, and nothing is charged', async () => {
      world.upstream.next({ kind: 'answer', status: 500, body: '{}' })
      expect(await call(sunny)).toMatchObject({
        kind: 'problem',
        body: {
          status: 502,
          code: 'upstream_failed',
          callId: CALL_ID,
          credits: { charged: 2, refunded: 2, remaining: 10 },
        },
      })
      expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    })

    test.each<[string, ExecuteBody, Partial<Call>, string]>([
      [
        'an unknown key',
        sunny,
        { authorization: `Bearer sgk_${'x'.repeat(43)}` },
        'unauthenticated',
      ],
      ['no key at all', sunny, { authorization: 'Bearer' }, 'unauthenticated'],
      ['an unknown skill', { skill: 'sg_nobody', arguments: {} }, {}, 'unknown_skill'],
      ['a name of 257 characters', { skill: 'a'.repeat(257), arguments: {} }, {}, 'malformed'],
      ['a state of another', { ...sunny, input: { state: 'forged' } }, {}, 'input_state_invalid'],
      ['too many answers', { ...sunny, input: { responses: many(1_000) } }, {}, 'malformed'],
    ])('a call with %s is refused as %s', async (_what, body, more, code) => {
      expect(await call(body, more)).toMatchObject({ kind: 'problem', body: { code } })
      expect(world.upstream.requests).toEqual([])
    })

    test('a call of over a MiB as JSON is refused as too large', async () => {
      // 1e20 is four bytes as an agent sent it, and 21 in the JSON of the next function.
      const numbers = Array.from({ length: 50_000 }, () => 1e20)
      const answer = await call({ skill: 'sg_sunny', arguments: { numbers } })
      expect(answer).toMatchObject({ kind: 'problem', body: { status: 413, code: 'too_large' } })
      expect(world.upstream.requests).toEqual([])
    })

    test('a built-in tool answers, and costs nothing', async () => {
      expect(await call({ skill: 'sg_account', arguments: {} })).toMatchObject({
        kind: 'success',
        body: {
          callId: CALL_ID,
          skillId: 'sg_account',
          source: 'built-in',
          structuredContent: { username: 'ada', credits: 10 },
          credits: { charged: 0, refunded: 0, remaining: 10 },
        },
      })
    })

    test('a call that needs input returns the questions, and is free', async () => {
      world.upstream.next({ kind: 'answer', body: UPSTREAM_ASKS })
      const input = { capabilities: { elicitation: {} } }
      const answer = await call({ skill: 'sg_asks', arguments: {}, input })
      expect(answer).toMatchObject({
        kind: 'input',
        body: {
          resultType: 'input_required',
          inputRequests: { to: { method: 'elicitation/create', params: { message: 'To whom?' } } },
          requestState: expect.any(String),
        },
      })
      await world.clock.settle()
      expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    })

    test('a question that the client cannot answer is a problem that names the missing capability', async () => {
      world.upstream.next({ kind: 'answer', body: UPSTREAM_ASKS })
      const input = { capabilities: {} }
      expect(await call({ skill: 'sg_asks', arguments: {}, input })).toMatchObject({
        kind: 'problem',
        body: { code: 'client_capability_missing', requiredCapabilities: { elicitation: {} } },
      })
    })

    test('mirrored parameters that contradict the arguments are a problem', async () => {
      const region = { type: 'string', 'x-mcp-header': 'Region' }
      await world.skill('sg_mirrors', {
        parameters: { type: 'object', properties: { region } },
      })
      const body = { skill: 'sg_mirrors', arguments: { region: 'eu' } }
      const wrong = await call(body, { paramHeaders: { region: 'us' } })
      expect(wrong).toMatchObject({ kind: 'problem', body: { code: 'header_mismatch' } })
      expect(await call(body, { paramHeaders: { region: 'eu' } })).toMatchObject({
        kind: 'success',
      })
    })

    test('a call whose deadline has passed calls no upstream', async () => {
      const answer = await call(sunny, { deadlineMs: world.clock.nowMs() })
      expect(answer).toMatchObject({ kind: 'problem', body: { code: 'timed_out' } })
      expect(world.upstream.requests).toEqual([])
    })

    test('a slow upstream is cut 750 ms before the deadline, and refunded before the answer', async () => {
      world.upstream.next({ kind: 'hang' })
      const answered = watched(call(sunny))
      await world.clock.advance(14_249)
      expect(answered.value).toBeUndefined()
      await world.clock.advance(1)
      expect(answered.value).toMatchObject({ kind: 'problem', body: { code: 'timed_out' } })
      expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    })

    test('a void makes an answered call free', async () => {
      await call(sunny)
      await world.clock.settle()
      await door.voidCall({ uid: 'ada', callId: CALL_ID, reason: 'void' })
      expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    })

    test('a void makes a running call free, and stops it', async () => {
      world.upstream.next({ kind: 'hang' })
      const answered = watched(call(sunny))
      await world.clock.settle()
      await door.voidCall({ uid: 'ada', callId: CALL_ID, reason: 'cancelled' })
      await world.clock.advance(1_000)
      expect(answered.value).toMatchObject({ kind: 'problem', body: { code: 'cancelled' } })
      expect(world.upstream.cuts()).toBe(1)
      expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    })

    test('a void after a minute is refused', async () => {
      await call(sunny)
      await world.clock.advance(61_000)
      const voided = door.voidCall({ uid: 'ada', callId: CALL_ID, reason: 'void' })
      await expect(voided).rejects.toBeInstanceOf(Fault)
      expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
    })

    test('a repeat under an Idempotency-Key gets the first answer, marked, and is not charged', async () => {
      const keyed = { idempotencyKey: 'k-1' }
      const first = await call(sunny, keyed)
      expect(first.replayed).toBeUndefined()
      const again = await call(sunny, { ...keyed, callId: `${CALL_ID}-2` })
      expect(again).toEqual({ ...first, replayed: true })
      expect(world.upstream.requests).toHaveLength(1)
      expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
    })

    test('a void says whether the call is free: an answer that was given again stays paid', async () => {
      const target = { uid: 'ada', callId: CALL_ID, reason: 'void' } as const
      const keyed = { idempotencyKey: 'k-1' }
      await call(sunny, keyed)
      await call(sunny, { ...keyed, callId: `${CALL_ID}-2` })
      expect(await door.voidCall(target)).toBe('charged')
      expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
      await call(sunny, { callId: `${CALL_ID}-3` })
      await world.clock.settle()
      expect(await door.voidCall({ ...target, callId: `${CALL_ID}-3` })).toBe('free')
      expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
    })

    test('trouble of the store is a problem that says when to come back', async () => {
      world.ports.keys.find = () => Promise.reject(new Fault('store_unavailable', 'away'))
      expect(await call(sunny)).toMatchObject({
        kind: 'problem',
        body: { status: 503, code: 'store_unavailable', retryAfterSec: 1 },
      })
      expect(world.log.events()).toContain('door-failed')
    })

    test('a bug is a problem that reveals nothing about it', async () => {
      world.ports.rateCounters.count = () => Promise.reject(new TypeError('secret of the inside'))
      const answer = await call(sunny)
      expect(answer).toMatchObject({ kind: 'problem', body: { status: 500, code: 'internal' } })
      expect(JSON.stringify(answer)).not.toContain('secret')
    })

    test('a caller that stops waiting is let go at once', async () => {
      world.upstream.next({ kind: 'deaf' })
      const leaving = new AbortController()
      const answered = call(sunny, { signal: leaving.signal })
      const end = answered.then(
        ({ kind }) => kind,
        (cause: unknown) => (cause instanceof Fault ? 'fault' : cause),
      )
      await world.clock.settle()
      leaving.abort('gone')
      expect(['fault', 'problem']).toContain(await end)
      await world.clock.advance(15_000)
    })
  })
}

type Call = {
  readonly authorization: string
  readonly callId: string
  readonly deadlineMs: number
  readonly paramHeaders: { readonly [name: string]: string }
  readonly signal: AbortSignal
  readonly idempotencyKey: string
}

function many(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, {}]))
}

function watched(answer: Promise<ExecuteAnswer>): { value: ExecuteAnswer | undefined } {
  const received: { value: ExecuteAnswer | undefined } = { value: undefined }
  void answer.then((value) => {
    received.value = value
  })
  return received
}
