import { describe, expect, test } from 'vitest'
import { readLedger, showLedger } from '../../../../core/flow/users/read-ledger.ts'
import { writeCursor } from '../../../../core/json/cursor.ts'
import { readCharge } from '../../../../core/ledger/entry.ts'
import { execute, run } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

/** Ada's calls, a second apart: two that settled, one that was refunded, and two that run. */
async function withCalls() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { price: 0.5 })
  await world.skill('sg_slow', { price: 2 })
  const settled = [await callId(world, ada)]
  world.upstream.next({ kind: 'answer', status: 500 })
  const refunded = await callId(world, ada)
  settled.push(await callId(world, ada))
  world.upstream.always({ kind: 'hang' })
  for (let n = 0; n < 2; n += 1) {
    void execute(world, ada, 'sg_slow')
    await world.clock.advance(1_000)
  }
  const running = Object.keys((await world.profile('ada')).holds)
    .sort()
    .reverse()
  return { world, ada, settled, refunded, running }
}

async function callId(world: World, authorization: string): Promise<string> {
  const { body } = await run(world, authorization, 'sg_weather')
  await world.clock.advance(1_000)
  return body.callId ?? ''
}

async function pages(world: World, limit: number) {
  const seen: { callId: string; state: string }[][] = []
  let cursor: string | undefined
  do {
    const page = okOf(await readLedger(world.ports, await world.profile('ada'), { limit, cursor }))
    seen.push(page.entries.map((entry) => ({ callId: entry.callId, state: entry.state })))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return seen
}

describe('a page of the ledger', () => {
  test('has the running calls first, then the ended ones, newest first', async () => {
    const { world, refunded, running, settled } = await withCalls()
    expect(await pages(world, 20)).toEqual([
      [
        { callId: running[0], state: 'held' },
        { callId: running[1], state: 'held' },
        { callId: settled[1], state: 'settled' },
        { callId: refunded, state: 'refunded' },
        { callId: settled[0], state: 'settled' },
      ],
    ])
  })

  test.each([1, 2, 3, 4, 5])(
    'of %i entries continues where the page before ended, and repeats nothing',
    async (limit) => {
      const { world } = await withCalls()
      const [whole] = await pages(world, 100)
      const parts = await pages(world, limit)
      expect(parts.flat()).toEqual(whole)
      expect(parts.every((part) => part.length <= limit)).toBe(true)
    },
  )

  test('shows a call that ends during the read once, as ended', async () => {
    const { world, running } = await withCalls()
    const profile = await world.profile('ada')
    await world.clock.advance(15_000)
    const page = okOf(await readLedger(world.ports, profile, { limit: 20, cursor: undefined }))
    const states = page.entries.filter((one) => running.includes(one.callId))
    expect(states.map(({ reason, state }) => [state, reason])).toEqual([
      ['refunded', 'timed_out'],
      ['refunded', 'timed_out'],
    ])
  })

  test('is empty for a user without calls', async () => {
    const world = makeWorld()
    await world.user('bob')
    expect(okOf(await showLedger(world.ports, 'bob', NO_QUERY))).toEqual({ entries: [] })
  })

  test.each([
    ['', ''],
    ['no cursor of ours', 'nonsense'],
    ['a cursor of the tool list', writeCursor('sg_weather')],
    ['a position that is no call id', writeCursor('ended:grant#1')],
    ['a cursor of another version', btoa('2:ended:').replaceAll('=', '')],
    ['a cursor of 513 characters', 'A'.repeat(513)],
  ])('is refused for the cursor %s', async (_what, cursor) => {
    const { world } = await withCalls()
    const refusal = refusalOf(await showLedger(world.ports, 'ada', { limit: undefined, cursor }))
    expect(refusal.code).toBe('malformed')
    expect(refusal.detail).toMatch(/^\/query\/cursor: must be the nextCursor of an earlier answer/)
  })
})

const NO_QUERY = { limit: undefined, cursor: undefined }

describe("an administrator's view", () => {
  test('has skill, amounts in credits, end and times of each call', async () => {
    const { world, refunded, running } = await withCalls()
    const { entries } = okOf(await showLedger(world.ports, 'ada', NO_QUERY))
    expect(entries[1]).toEqual({
      callId: running[1],
      skillId: 'sg_slow',
      source: 'official',
      state: 'held',
      amount: 2,
      charged: 0,
      createdAtMs: expect.any(Number),
    })
    expect(entries[3]).toEqual({
      callId: refunded,
      skillId: 'sg_weather',
      source: 'official',
      skillVersion: 1,
      state: 'refunded',
      amount: 0.5,
      charged: 0,
      reason: 'upstream_failed',
      createdAtMs: expect.any(Number),
      endedAtMs: expect.any(Number),
      durationMs: 0,
      upstreamStatus: 500,
    })
    expect(entries[4]).toMatchObject({ state: 'settled', charged: 0.5, createdAtMs: START_MS })
  })

  test('is paged by limit and cursor', async () => {
    const { world, running, settled } = await withCalls()
    const first = okOf(await showLedger(world.ports, 'ada', { limit: '2', cursor: undefined }))
    expect(first.entries.map((entry) => entry.callId)).toEqual(running)
    const second = okOf(
      await showLedger(world.ports, 'ada', { limit: '1', cursor: first.nextCursor }),
    )
    expect(second.entries.map((entry) => entry.callId)).toEqual([settled[1]])
  })

  test.each(['1', '100'])('takes a limit of %s', async (limit) => {
    const { world } = await withCalls()
    expect((await showLedger(world.ports, 'ada', { ...NO_QUERY, limit })).ok).toBe(true)
  })

  test.each(['0', '101', '-1', '1.5', 'x', ''])('the view refuses a limit of %j', async (limit) => {
    const { world } = await withCalls()
    expect(refusalOf(await showLedger(world.ports, 'ada', { ...NO_QUERY, limit }))).toEqual({
      code: 'malformed',
      detail: 'limit: must be a whole number from 1 to 100.',
    })
  })

  test('is refused for an unknown user', async () => {
    const refusal = refusalOf(await showLedger(makeWorld().ports, 'eve', NO_QUERY))
    expect(refusal.code).toBe('not_found')
  })
})

test('a call that was voided before its hold names no skill and cost nothing', async () => {
  const { world } = await withCalls()
  await world.ports.execute.voidCall({
    uid: 'ada',
    callId: '1zzzzzzzz-late',
    reason: 'void',
  })
  const profile = await world.profile('ada')
  const page = okOf(await readLedger(world.ports, profile, { limit: 100, cursor: undefined }))
  const voided = page.entries.find(({ reason }) => reason === 'void')
  if (voided === undefined) throw new Error('it is not there')
  expect([voided.skill, voided.state, readCharge(voided)]).toEqual([undefined, 'refunded', 0])
})
