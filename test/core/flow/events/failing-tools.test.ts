/** Tools that fail for everybody: told once, and once when they work again. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  JUDGE_AFTER_MS,
  JUDGED_PAGES_MAX,
  noteFailingTools,
} from '../../../../core/flow/events/note-failing-tools.ts'
import type { CallRow } from '../../../../core/usage/call-row.ts'
import {
  FAILING_KEPT_SLOTS,
  FAILING_TOOLS_MAX,
  judgeTools,
  type ToolState,
} from '../../../../core/usage/failing-tools.ts'
import { SLOT_MS, toSlot } from '../../../../core/usage/slots.ts'
import { makeWorld, type World } from '../world.ts'

let calls = 0
function row(more: Partial<CallRow> = {}): CallRow {
  calls += 1
  return {
    callId: `c${calls}`,
    uid: `u${calls % 2}`,
    skillId: 'weather',
    source: 'official',
    skillVersion: 1,
    state: 'refunded',
    reason: 'upstream_failed',
    amount: 1,
    createdAtMs: 0,
    durationMs: 1,
    upstreamStatus: 500,
    keyId: undefined,
    door: undefined,
    ...more,
  }
}
const failed = (count: number, more: Partial<CallRow> = {}) =>
  Array.from({ length: count }, () => row(more))
const settled = (count: number) =>
  failed(count, { state: 'settled', reason: undefined, upstreamStatus: 200 })
const typesOf = (rows: readonly CallRow[], before?: ToolState) =>
  judgeTools(before, 9, rows).notices.map(({ type }) => type)

describe('a tool', () => {
  test.each([
    ['10 failed calls of 2 users', failed(10), ['tool_failing']],
    ['9 failed calls', failed(9), []],
    ['10 failed calls of one user', failed(10, { uid: 'ada' }), []],
    ['18 failed calls of 20', [...failed(18), ...settled(2)], ['tool_failing']],
    ['17 failed calls of 20', [...failed(17), ...settled(3)], []],
    [
      'calls without an answer',
      failed(10, { reason: 'timed_out', upstreamStatus: undefined }),
      ['tool_failing'],
    ],
    ['calls whose arguments are wrong', failed(10, { reason: 'invalid_arguments' }), []],
    ['calls whose secret is missing', failed(10, { reason: 'secret_missing' }), []],
    ['calls that their users cancelled', failed(10, { reason: 'cancelled' }), []],
    ['calls that the upstream answers with 404', failed(10, { upstreamStatus: 404 }), []],
    [
      'calls that the upstream answers with 401',
      failed(10, { upstreamStatus: 401 }),
      ['tool_failing'],
    ],
    ['calls of a private skill', failed(10, { source: 'private' }), []],
  ])('with %s is judged right', (_, rows, types) => {
    expect(typesOf(rows)).toEqual(types)
  })

  test('that was told of is told of again only when half of its calls succeed', () => {
    const before = { slot: 8, failing: { weather: 8 } }
    expect(typesOf(failed(20), before)).toEqual([])
    expect(typesOf([...failed(3), ...settled(2)], before)).toEqual([])
    expect(typesOf([...failed(1), ...settled(1)], before)).toEqual(['tool_recovered'])
  })

  test('without calls stays known for 1008 slots, a week, and is then forgotten', () => {
    const known = (slots: number) =>
      Object.keys(judgeTools({ slot: 1, failing: { weather: 1 } }, 1 + slots, []).state.failing)
    expect([FAILING_KEPT_SLOTS, known(1_007), known(1_008)]).toEqual([1_008, ['weather'], []])
  })

  test('is not told of beside 20 that fail', () => {
    const rows = Array.from({ length: 21 }, (_, n) => failed(10, { skillId: `s${n}` })).flat()
    expect([FAILING_TOOLS_MAX, typesOf(rows).length]).toEqual([20, 20])
  })
})

describe('a run of the sweep', () => {
  let world: World
  beforeEach(() => {
    world = makeWorld()
  })
  const eventsOf = async () =>
    (await world.ports.events.list({ state: 'pending', limit: 50 })).events
  const pages = async (slot: number, rows: readonly CallRow[], id = 'p') =>
    world.ports.usagePages.put({
      slot,
      id,
      rows: rows.map((one) => ({ ...one, createdAtMs: slot * SLOT_MS })),
    })

  test('tells once of a tool that fails, however often it runs and at once, and once that it works', async () => {
    const slot = toSlot(world.clock.nowMs() - JUDGE_AFTER_MS - SLOT_MS)
    await pages(slot, failed(10))
    await Promise.all([0, 1, 2].map(() => noteFailingTools(world.ports)))
    await noteFailingTools(world.ports)
    expect(await eventsOf()).toMatchObject([
      {
        type: 'tool_failing',
        data: { skillId: 'weather', calls: 10, failed: 10, users: 2, reason: 'upstream_failed' },
      },
    ])
    await world.clock.advance(SLOT_MS)
    await pages(slot + 1, settled(3))
    await noteFailingTools(world.ports)
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['tool_failing', 'tool_recovered'])
  })

  test('counts a call once that is in two pages, and reads 20 pages at most', async () => {
    const slot = toSlot(world.clock.nowMs() - JUDGE_AFTER_MS - SLOT_MS)
    const rows = failed(9)
    await pages(slot, rows, 'a')
    await pages(slot, rows, 'b')
    await noteFailingTools(world.ports)
    expect(await eventsOf()).toEqual([])
    let read = 0
    const endless = {
      list: async function* (of: number) {
        for (;;) {
          read += 1
          yield { slot: of, id: String(read), rows: failed(1) }
        }
      },
    }
    await world.clock.advance(SLOT_MS)
    await noteFailingTools({ ...world.ports, usagePages: endless })
    expect([JUDGED_PAGES_MAX, read]).toEqual([20, 20])
  })
})
