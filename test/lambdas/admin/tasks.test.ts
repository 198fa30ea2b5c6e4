/** GET tasks: calls that hold credits until a deadline, of one user and of all. */
import { beforeEach, expect, test } from 'vitest'
import { toMinute } from '../../../core/access/minute.ts'
import { TASK_MINUTES_READ } from '../../../core/flow/users/list-tasks.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { sweepEntryMs } from '../../../core/ledger/hold-deadline.ts'
import { PROFILES_READ_MAX } from '../../../core/ledger/limits.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const NOW_MS = 2_000_000_000_000
const MINUTE_MS = 60_000
const JOB_MS = 86_400_000

let world: World

beforeEach(() => {
  world = makeWorld()
})

async function makeUser(uid: string): Promise<void> {
  const body = { uid, username: uid.toUpperCase(), credits: 100 }
  expect((await askAdmin(world, 'POST', '/users', { body })).status).toBe(201)
}

/** As a call of a skill with `config.task` does it: the sweep's entry, then the hold. */
async function begin(uid: string, callId: string, untilMs: number | undefined): Promise<void> {
  const hold = { amount: 2_500_000, heldAtMs: NOW_MS, writeToken: callId, skillId: 'sg_portrait' }
  const until = untilMs === undefined ? {} : { untilMs }
  const minute = toMinute(sweepEntryMs({ heldAtMs: NOW_MS, ...until }))
  await world.ports.sweepEntries.put({ uid, minute })
  const placed = { ...hold, ...until, source: 'official' } as const
  const held = await world.ports.ledger.hold({ uid, callId, hold: placed, holdsMax: 32 })
  expect(held.kind).toBe('held')
}

const toIds = (json: JsonObject) =>
  Array.isArray(json['tasks']) ? json['tasks'].map((task) => Object(task).callId) : []

/** All pages, and how many there were. */
async function listAll(): Promise<{ readonly ids: readonly string[]; readonly pages: number }> {
  const ids: string[] = []
  let query = ''
  for (let pages = 1; ; pages += 1) {
    const { json, status } = await askAdmin(world, 'GET', '/tasks', { query })
    expect(status).toBe(200)
    ids.push(...toIds(json))
    if (json['nextCursor'] === undefined) return { ids, pages }
    query = `cursor=${String(json['nextCursor'])}`
  }
}

test('the tasks of all users are listed by their deadlines, without calls and ended tasks', async () => {
  for (const uid of ['ada', 'bob']) await makeUser(uid)
  await begin('ada', 'late', NOW_MS + 14 * MINUTE_MS)
  await begin('ada', 'soon', NOW_MS + 3 * MINUTE_MS)
  await begin('bob', 'between', NOW_MS + 9 * MINUTE_MS)
  await begin('bob', 'a-call', undefined)
  await begin('bob', 'ended', NOW_MS + 5 * MINUTE_MS)
  await world.ports.ledger.release({ uid: 'bob', callId: 'ended', giveBack: true })
  const { json } = await askAdmin(world, 'GET', '/tasks')
  expect(toIds(json)).toEqual(['soon', 'between', 'late'])
  expect(json['tasks']).toMatchObject([
    {
      uid: 'ada',
      username: 'ADA',
      skillId: 'sg_portrait',
      source: 'official',
      price: 2.5,
      startedAtMs: NOW_MS,
      untilMs: NOW_MS + 3 * MINUTE_MS,
    },
    {},
    {},
  ])
})

test('a job of a day is on a later page, and each task on one page alone', async () => {
  await makeUser('ada')
  await begin('ada', 'first', NOW_MS + 2 * MINUTE_MS)
  await begin('ada', 'job', NOW_MS + JOB_MS + 5 * MINUTE_MS)
  const { ids, pages } = await listAll()
  expect(ids).toEqual(['first', 'job'])
  expect(pages).toBe(Math.ceil(1_458 / TASK_MINUTES_READ))
})

test('a task whose deadline moved ahead is listed once, by its new deadline', async () => {
  await makeUser('ada')
  await begin('ada', 'asks', NOW_MS + 5 * MINUTE_MS)
  const untilMs = NOW_MS + 65 * MINUTE_MS
  await world.ports.ledger.prolong({ uid: 'ada', callId: 'asks', placement: 1, untilMs })
  await world.ports.sweepEntries.put({ uid: 'ada', minute: toMinute(untilMs - MINUTE_MS) })
  expect((await listAll()).ids).toEqual(['asks'])
})

test('a page has tasks of no more users than one read takes, and the next one goes on after them', async () => {
  const uids = Array.from({ length: PROFILES_READ_MAX + 1 }, (_, user) => `u${user}`)
  for (const uid of uids) {
    await makeUser(uid)
    await begin(uid, `of-${uid}`, NOW_MS + 5 * MINUTE_MS)
  }
  const { json } = await askAdmin(world, 'GET', '/tasks')
  expect(toIds(json).length).toBeLessThanOrEqual(PROFILES_READ_MAX)
  expect(json['nextCursor']).toBeDefined()
  expect([...(await listAll()).ids].sort()).toEqual(uids.map((uid) => `of-${uid}`).sort())
})

test('the tasks of one user come all at once, also those that end within two minutes', async () => {
  for (const uid of ['ada', 'bob']) await makeUser(uid)
  await begin('ada', 'job', NOW_MS + JOB_MS)
  await begin('ada', 'short', NOW_MS + MINUTE_MS)
  await begin('bob', 'other', NOW_MS + 5 * MINUTE_MS)
  const { json } = await askAdmin(world, 'GET', '/tasks', { query: 'user=ada' })
  expect(toIds(json)).toEqual(['short', 'job'])
  expect(json['nextCursor']).toBeUndefined()
})

test('an unknown user, a cursor of another list and a limit are refused', async () => {
  expect((await askAdmin(world, 'GET', '/tasks', { query: 'user=nobody' })).status).toBe(404)
  const { status } = await askAdmin(world, 'GET', '/tasks', { query: 'cursor=MTpmb28' })
  expect(status).toBe(400)
  expect((await askAdmin(world, 'GET', '/tasks', { query: 'limit=5' })).status).toBe(400)
})

test('a part of the table that does not answer fails the list, so that no task is missing unseen', async () => {
  const { sweepEntries } = world.ports
  const trouble = new Error('throttled')
  world.ports.sweepEntries = {
    ...sweepEntries,
    list: async (minute, page) => ({ ...(await sweepEntries.list(minute, page)), trouble }),
  }
  expect((await askAdmin(world, 'GET', '/tasks')).status).toBe(503)
})
