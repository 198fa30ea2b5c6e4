/**
 * One Idempotency-Key from four processes at once, and after all of them were killed: one
 * execution, one charge, and one answer for every caller.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallAnswer, call } from './crowd.ts'
import { type Fleet, startFleet, type Worker } from './fleet.ts'

/** Long enough for every repeat to come while the first call runs. */
const UPSTREAM_MS = 300
const PER_PROCESS = 5

describe('several processes on DynamoDB', () => {
  let fleet: Fleet
  let workers: readonly Worker[]

  beforeAll(async () => {
    fleet = await startFleet(UPSTREAM_MS)
    workers = await fleet.startWorkers(4)
  })
  afterAll(() => fleet.stop())

  async function allIdle(): Promise<void> {
    for (const worker of workers) await worker.idle()
  }

  type Sender = (turn: number, text: string) => Promise<CallAnswer>

  function sender(key: string, skill: 'sg_works' | 'sg_fails'): Sender {
    const urls = workers.map(({ url }) => url)
    const crowd = { key, skill, workers: urls }
    return (turn, text) => call(crowd, turn, text, { 'idempotency-key': 'order-7' })
  }

  function sendEverywhere(send: Sender, text: string): Promise<readonly CallAnswer[]> {
    const times = workers.length * PER_PROCESS
    return Promise.all(Array.from({ length: times }, (_, turn) => send(turn, text)))
  }

  describe('the same Idempotency-Key from four processes at once', () => {
    test('a call with one key runs once, charges once, and everybody gets the one answer', async () => {
      const { uid, key } = await fleet.user({ credits: 10 })
      const send = sender(key, 'sg_works')
      const first = await sendEverywhere(send, 'keyed')
      await allIdle()
      const again = await sendEverywhere(send, 'keyed')
      const other = await send(0, 'another body')
      await allIdle()
      const answered = first.filter(({ code }) => code === 'ok')
      const putOff = first.filter(({ code }) => code !== 'ok')
      expect(answered.length).toBeGreaterThan(0)
      expect(
        new Set(putOff.map(({ code, status, retryAfter }) => [code, status, retryAfter].join())),
      ).toEqual(new Set(['conflict,409,1']))
      expect(new Set([...answered, ...again].map(({ body }) => body)).size).toBe(1)
      expect(again.map(({ status }) => status)).toEqual(again.map(() => 200))
      expect([other.status, other.code, other.retryAfter]).toEqual([409, 'conflict', undefined])
      expect(fleet.upstream.asked('keyed')).toBe(1)
      expect(fleet.upstream.asked('another body')).toBe(0)
      expect(await fleet.books(uid)).toEqual({ credits: 9, holds: 0, settled: 1, charged: 1 })
    })

    test('a failure under one key is given again too, and costs nothing', async () => {
      const { uid, key } = await fleet.user({ credits: 10 })
      const send = sender(key, 'sg_fails')
      await sendEverywhere(send, 'keyed failure')
      await allIdle()
      const again = await sendEverywhere(send, 'keyed failure')
      await allIdle()
      expect(new Set(again.map(({ body }) => body)).size).toBe(1)
      expect(again.map(({ code }) => code)).toEqual(again.map(() => 'upstream_failed'))
      expect(fleet.upstream.asked('keyed failure')).toBe(1)
      expect(await fleet.books(uid)).toEqual({ credits: 10, holds: 0, settled: 0, charged: 0 })
    })

    test('a call with one key gets the first answer after all processes were killed and others took their place', async () => {
      const { uid, key } = await fleet.user({ credits: 10 })
      const first = await sender(key, 'sg_works')(0, 'kept')
      for (const worker of workers) await worker.kill()
      workers = await fleet.startWorkers(4)
      const again = await sendEverywhere(sender(key, 'sg_works'), 'kept')
      await allIdle()
      expect(first.status).toBe(200)
      expect(again.map(({ body }) => body)).toEqual(again.map(() => first.body))
      expect(fleet.upstream.asked('kept')).toBe(1)
      expect(await fleet.books(uid)).toEqual({ credits: 9, holds: 0, settled: 1, charged: 1 })
    })
  })
})
