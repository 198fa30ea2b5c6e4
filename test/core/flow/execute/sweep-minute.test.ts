/**
 * A sweep with more work than time: each visit of a user takes time on the manual clock, so that a run reaches
 * a known number of users. Runs begin five seconds after each minute, as the schedule does.
 */
import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import {
  SWEEP_BUDGET_MS,
  SWEEP_NEWEST_MINUTES,
  sweepHolds,
} from '../../../../core/flow/execute/sweep-holds.ts'
import {
  SWEEP_PAGE,
  SWEEP_USERS_AT_ONCE,
  SWEEP_USERS_READ,
} from '../../../../core/flow/execute/sweep-minute.ts'
import { PROFILES_READ_MAX } from '../../../../core/ledger/limits.ts'
import { execute, mortal } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, type World } from '../world.ts'

const MINUTE_MS = 60_000
const START_MINUTE = Math.floor(START_MS / MINUTE_MS)
/** A run has 40 s: it reaches 400 users. */
const VISIT_MS = 100
const REACHED = 400

async function ready() {
  const world = makeWorld()
  await world.ports.sweepEntries.writeCursor({ minute: START_MINUTE, after: '' })
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  return { world, ada }
}

async function enter(world: World, minute: number, users: number): Promise<void> {
  for (let n = 0; n < users; n += 1) {
    await world.ports.sweepEntries.put({ uid: `m${minute}-${n}`, minute })
  }
}

/** One run, begun five seconds after that minute began, with the uids that it visited. */
async function runAt(world: World, minute: number) {
  world.clock.jump(minute * MINUTE_MS + 5_000 - world.clock.nowMs())
  const visited: string[] = []
  const { profiles } = world.ports
  const read = async (uid: string) => {
    visited.push(uid)
    world.clock.jump(VISIT_MS)
    return profiles.read(uid)
  }
  const report = await sweepHolds({ ...world.ports, profiles: { ...profiles, read } })
  return { report, visited, minutes: [...new Set(visited.map((uid) => uid.split('-')[0]))] }
}

/** A call whose process dies right after its hold was placed. */
async function crashed(world: World, authorization: string) {
  const ledger = mortal(world.ports.ledger, { at: 1, when: 'after' })
  await expect(execute(world, authorization, 'sg_weather', { ledger })).rejects.toThrow('dead')
}

describe('a sweep with more entries than time', () => {
  test('ends within its time, says what it left, and leaves it to the next run', async () => {
    const { world } = await ready()
    expect(SWEEP_BUDGET_MS).toBe(40_000)
    await enter(world, START_MINUTE, REACHED + 1)
    const first = await runAt(world, START_MINUTE + 2)
    expect(first.report).toMatchObject({ profiles: REACHED, left: 1, backlogMinutes: 1 })
    const cursor = await world.ports.sweepEntries.readCursor()
    expect(cursor?.minute).toBe(START_MINUTE)
    const places = await world.ports.sweepEntries.list(START_MINUTE, { after: '', limit: 1_000 })
    expect(cursor?.after).toBe(places.entries[REACHED - 1]?.at)
    const second = await runAt(world, START_MINUTE + 3)
    expect(second.report).toMatchObject({ profiles: 1, left: 0, backlogMinutes: 0 })
    expect(second.visited).toHaveLength(1)
    expect(first.visited).not.toContain(second.visited[0])
    expect(await world.ports.sweepEntries.readCursor()).toEqual({
      minute: START_MINUTE + 2,
      after: '',
    })
  })

  test('reaches exactly as many users as its time has room for, and leaves none', async () => {
    const { world } = await ready()
    await enter(world, START_MINUTE, REACHED)
    expect((await runAt(world, START_MINUTE + 2)).report).toMatchObject({
      profiles: REACHED,
      left: 0,
      backlogMinutes: 0,
    })
  })

  test('visits the last minute first, then the backlog from its beginning, and nobody twice', async () => {
    const { world } = await ready()
    for (let at = 0; at < 8; at += 1) await enter(world, START_MINUTE + at, 10)
    const { minutes } = await runAt(world, START_MINUTE + 9)
    expect(minutes).toEqual([7, 0, 1, 2, 3, 4, 5, 6].map((at) => `m${START_MINUTE + at}`))
    expect((await runAt(world, START_MINUTE + 9)).visited).toEqual([])
  })

  test.each([
    [3, [12, 11, 10]],
    [5, [14, 13, 12, 11, 10]],
    [6, [15, 14, 13, 12, 11]],
  ])(
    'after %i minutes without a run visits those of them first that are among the newest five',
    async (missed, expected) => {
      const { world } = await ready()
      expect(SWEEP_NEWEST_MINUTES).toBe(5)
      for (let at = 0; at < 9; at += 1) await enter(world, START_MINUTE + at, REACHED)
      for (let at = 9; at < 20; at += 1) await enter(world, START_MINUTE + at, 1)
      await runAt(world, START_MINUTE + 11)
      const { minutes } = await runAt(world, START_MINUTE + 11 + missed)
      expect(minutes.slice(0, expected.length)).toEqual(
        expected.map((at) => `m${START_MINUTE + at}`),
      )
      expect(minutes[expected.length]).toBe(`m${START_MINUTE}`)
    },
  )

  test('sweeps each new minute at once while a backlog lasts, and works the backlog off, none left out', async () => {
    const { world } = await ready()
    for (let at = 0; at < 10; at += 1) await enter(world, START_MINUTE + at, 250)
    const all = new Set<string>()
    const backlogs: number[] = []
    // 250 new users a minute leave room for 150 of the 2,500 that an outage of ten minutes has left.
    for (let minute = START_MINUTE + 12; minute < START_MINUTE + 32; minute += 1) {
      await enter(world, minute - 2, 250)
      const { report, visited } = await runAt(world, minute)
      expect(visited.slice(0, 250).every((uid) => uid.startsWith(`m${minute - 2}-`))).toBe(true)
      expect(report.profiles).toBeLessThanOrEqual(REACHED)
      expect((await world.ports.sweepEntries.readCursor())?.minute).toBe(
        minute - 1 - report.backlogMinutes,
      )
      for (const uid of visited) {
        expect(all.has(uid)).toBe(false)
        all.add(uid)
      }
      backlogs.push(report.backlogMinutes)
    }
    expect(backlogs[0]).toBe(11)
    expect(backlogs.at(-1)).toBe(0)
    expect(all.size).toBe(30 * 250)
  })

  test.each([0, 1, 14, 30, 45, 59])(
    'ends a dead hold of second %i of a minute within 150 s, beside a backlog and 200 other users a minute',
    async (second) => {
      const { world, ada } = await ready()
      for (let at = 0; at < 20; at += 1) await enter(world, START_MINUTE + at, REACHED)
      const minute = START_MINUTE + 20
      world.clock.jump(minute * MINUTE_MS + second * 1_000 - world.clock.nowMs())
      await crashed(world, ada)
      await enter(world, minute, 200)
      const heldAtMs = world.clock.nowMs()
      let endedAtMs = 0
      const { release } = world.ports.ledger
      world.ports.ledger = {
        ...world.ports.ledger,
        release: (what) => {
          endedAtMs = world.clock.nowMs()
          return release(what)
        },
      }
      for (let at = 1; at <= 3; at += 1) {
        await enter(world, minute + at, 200)
        await runAt(world, minute + at)
      }
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
      expect(endedAtMs - heldAtMs).toBeLessThanOrEqual(150_000)
    },
  )
})

describe('the users of a minute', () => {
  test('are visited 32 at a time', async () => {
    const { world } = await ready()
    await enter(world, START_MINUTE, 100)
    let now = 0
    let most = 0
    const { profiles } = world.ports
    const read = async (uid: string) => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      return profiles.read(uid)
    }
    world.clock.jump(3 * MINUTE_MS)
    await sweepHolds({ ...world.ports, profiles: { ...profiles, read } })
    expect([SWEEP_USERS_AT_ONCE, most]).toEqual([32, 32])
  })

  test('a user whose visit fails is entered in the present minute, and the cursor passes the old one', async () => {
    const { world } = await ready()
    await enter(world, START_MINUTE, 50)
    await enter(world, START_MINUTE + 1, 50)
    const { profiles } = world.ports
    const failing = `m${START_MINUTE}-33`
    const read = (uid: string) =>
      uid === failing ? Promise.reject(new Fault('store_unavailable', 'down')) : profiles.read(uid)
    world.clock.jump(4 * MINUTE_MS)
    const now = Math.floor(world.clock.nowMs() / MINUTE_MS)
    const report = await sweepHolds({ ...world.ports, profiles: { ...profiles, read } })
    expect(report).toMatchObject({ profiles: 100, left: 0, backlogMinutes: 0 })
    expect(world.log.events()).toContain('sweep-failed')
    const anew = await world.ports.sweepEntries.list(now, { after: '', limit: 10 })
    expect(anew.entries.map(({ uid }) => uid)).toEqual([failing])
    expect(await sweepHolds(world.ports)).toMatchObject({ profiles: 0 })
    world.clock.jump(2 * MINUTE_MS)
    expect(await sweepHolds(world.ports)).toMatchObject({ profiles: 1, backlogMinutes: 0 })
  })

  test('a user who can neither be visited nor entered anew keeps the cursor before them', async () => {
    const { world } = await ready()
    await enter(world, START_MINUTE, 50)
    const { list } = world.ports.sweepEntries
    const { entries } = await list(START_MINUTE, { after: '', limit: 100 })
    const failing = entries[20]?.uid
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    const { profiles } = world.ports
    const read = (uid: string) => (uid === failing ? down() : profiles.read(uid))
    world.clock.jump(3 * MINUTE_MS)
    const sweepEntries = { ...world.ports.sweepEntries, put: down }
    await sweepHolds({ ...world.ports, sweepEntries, profiles: { ...profiles, read } })
    expect(await world.ports.sweepEntries.readCursor()).toMatchObject({
      minute: START_MINUTE,
      after: entries[19]?.at,
    })
    expect(await sweepHolds(world.ports)).toMatchObject({ profiles: 30, backlogMinutes: 0 })
  })

  test('a bug stops the run before the cursor moves, after every user that it began', async () => {
    const { world } = await ready()
    await enter(world, START_MINUTE, 40)
    const { profiles } = world.ports
    let ended = 0
    const read = async (uid: string) => {
      if (uid.endsWith('-0')) throw new TypeError('bug')
      await new Promise((resolve) => setImmediate(resolve))
      ended += 1
      return profiles.read(uid)
    }
    world.clock.jump(3 * MINUTE_MS)
    const run = sweepHolds({ ...world.ports, profiles: { ...profiles, read } })
    await expect(run).rejects.toThrow('bug')
    expect(ended).toBe(39)
    expect((await world.ports.sweepEntries.readCursor())?.minute).toBe(START_MINUTE)
  })

  test('a minute of which a part cannot be read is visited as far as it can be, and the cursor waits', async () => {
    const { world } = await ready()
    await enter(world, START_MINUTE, 4)
    const { list } = world.ports.sweepEntries
    const trouble = new Fault('store_unavailable', 'throttled')
    const half = async (minute: number, page: { after: string; limit: number }) => {
      const { entries } = await list(minute, page)
      return { entries: entries.slice(0, 2), next: undefined, trouble }
    }
    world.clock.jump(3 * MINUTE_MS)
    const sweepEntries = { ...world.ports.sweepEntries, list: half }
    expect(await sweepHolds({ ...world.ports, sweepEntries })).toMatchObject({ profiles: 2 })
    expect(world.log.events()).toContain('sweep-failed')
    expect(await world.ports.sweepEntries.readCursor()).toMatchObject({
      minute: START_MINUTE,
      after: '',
    })
    expect(await sweepHolds(world.ports)).toMatchObject({ profiles: 4, backlogMinutes: 0 })
  })

  test('the profiles of 400 users are read before they are visited, 100 in a request', async () => {
    const { world } = await ready()
    for (let n = 0; n < 401; n += 1) {
      await world.user(`u${n}`)
      await world.ports.sweepEntries.put({ uid: `u${n}`, minute: START_MINUTE })
    }
    const { profiles } = world.ports
    const requests: number[] = []
    const readAll = (uids: readonly string[]) => {
      requests.push(uids.length)
      return profiles.readAll(uids)
    }
    const read = (uid: string) => Promise.reject(new Error(`${uid} was read alone`))
    world.clock.jump(3 * MINUTE_MS)
    const ports = { ...world.ports, profiles: { ...profiles, read, readAll } }
    expect(await sweepHolds(ports)).toMatchObject({ profiles: 401, left: 0, backlogMinutes: 0 })
    expect([SWEEP_USERS_READ, PROFILES_READ_MAX]).toEqual([400, 100])
    expect(requests).toEqual([100, 100, 100, 100, 1])
  })

  test('users whose profiles cannot be read together are read one by one', async () => {
    const { world, ada } = await ready()
    await world.user('ben')
    await world.ports.sweepEntries.put({ uid: 'ben', minute: START_MINUTE })
    await crashed(world, ada)
    const { profiles } = world.ports
    const readAll = () => Promise.reject(new Fault('store_unavailable', 'left out 2 keys'))
    world.clock.jump(3 * MINUTE_MS)
    const ports = { ...world.ports, profiles: { ...profiles, readAll } }
    expect(await sweepHolds(ports)).toMatchObject({ profiles: 2, holds: 1, backlogMinutes: 0 })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a user with two entries of a minute is visited once', async () => {
    const { world, ada } = await ready()
    await crashed(world, ada)
    const { list } = world.ports.sweepEntries
    // As two keys of one user have it on DynamoDB.
    const twice = async (minute: number, page: { after: string; limit: number }) => {
      const { entries, ...rest } = await list(minute, page)
      return {
        ...rest,
        entries: entries.flatMap(({ uid, at }) => [
          { uid, at },
          { uid, at: `${at}#` },
        ]),
      }
    }
    world.clock.jump(3 * MINUTE_MS)
    const sweepEntries = { ...world.ports.sweepEntries, list: twice }
    expect(await sweepHolds({ ...world.ports, sweepEntries })).toMatchObject({
      profiles: 1,
      holds: 1,
      backlogMinutes: 0,
    })
  })

  test.each([8_000, 8_001])('a minute with %i entries is visited page by page', async (users) => {
    const { world } = await ready()
    expect(SWEEP_PAGE).toBe(8_000)
    await enter(world, START_MINUTE, users)
    world.clock.jump(3 * MINUTE_MS)
    expect(await sweepHolds(world.ports)).toMatchObject({
      profiles: users,
      left: 0,
      backlogMinutes: 0,
    })
  })
})
