/** Lists of users by what they can spend: balances, debts, who runs out soon; and changes of groups at once. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { DEBTS_PAGE_MAX } from '../../../core/ledger/limits.ts'
import { RUN_OUT_USERS_MAX, RUN_OUT_WITHIN_DAYS_MAX } from '../../../core/ledger/run-out.ts'
import { USER_GROUPS_MAX } from '../../../core/skills/group-names.ts'
import { HOUR_MS, toHour } from '../../../core/usage/slots.ts'
import { ALL_DETAILS, type UsageDetail } from '../../../core/usage/usage-detail.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const CREDIT = 1_000_000
/** 2033-05-18T03:33:20Z; the month ends in 13.85 days. */
const NOW_MS = 2_000_000_000_000
/** The hour that begins the day of NOW_MS. */
const TODAY = toHour(Date.parse('2033-05-18T00:00:00Z'))

let world: World

beforeEach(() => {
  world = makeWorld()
})

const ask = (method: string, path: string, sent: { query?: string; body?: Json } = {}) =>
  askAdmin(world, method, path, sent)

async function make(uid: string, more: JsonObject = {}): Promise<void> {
  const { status } = await ask('POST', '/users', { body: { uid, username: uid, ...more } })
  expect(status).toBe(201)
}

async function correct(uid: string, amount: number): Promise<void> {
  const grant = { grantId: `k${-amount}`, amount, reason: 'paid back', allowNegative: true }
  expect((await ask('POST', `/users/${uid}/credits`, { body: grant })).status).toBe(200)
}

const uidsIn = (users: Json | undefined) =>
  Array.isArray(users) ? users.map((user) => Object(user).uid) : []

describe('GET users?balances=true', () => {
  test('adds credits, credits on hold and the budget of each user of the page', async () => {
    await make('ada', { credits: 2.5 })
    await make('bob')
    await ask('PATCH', '/users/ada', { body: { monthlyBudget: 20 } })
    await correct('bob', -3)
    const hold = { amount: CREDIT, heldAtMs: NOW_MS, writeToken: 't', skillId: 's' }
    await world.ports.ledger.hold({
      uid: 'ada',
      callId: 'c1',
      hold: { ...hold, source: 'official' },
      holdsMax: 32,
    })
    const { json } = await ask('GET', '/users', { query: 'balances=true' })
    expect(json['users']).toMatchObject([
      {
        uid: 'ada',
        credits: 1.5,
        creditsOnHold: 1,
        monthlyBudget: { limit: 20, spent: 1, renewsOn: '2033-06-01' },
      },
      { uid: 'bob', credits: -3, creditsOnHold: 0 },
    ])
    const one = await ask('GET', '/users', { query: 'balances=true&uid=bob' })
    expect(one.json['users']).toMatchObject([{ uid: 'bob', credits: -3 }])
    expect((await ask('GET', '/users', { query: 'balances=yes' })).status).toBe(400)
  })

  test('reads the balances of a page that needs more than one batch', async () => {
    for (let user = 0; user < 101; user += 1) {
      await make(`u${String(user).padStart(3, '0')}`, { credits: user })
    }
    const { json } = await ask('GET', '/users', { query: 'balances=true&limit=200' })
    const credits = Array.isArray(json['users'])
      ? json['users'].map((user) => Object(user).credits)
      : []
    expect(credits).toEqual(Array.from({ length: 101 }, (_, user) => user))
  })
})

describe('GET users:in-debt', () => {
  test('lists the users below zero, a deleted one too, and nobody who has paid', async () => {
    for (const uid of ['ada', 'bob', 'cleo', 'dan']) await make(uid, { credits: 1 })
    await correct('ada', -3)
    await correct('bob', -1)
    await correct('cleo', -4)
    await correct('dan', -2)
    await ask('POST', '/users/dan/credits', { body: { grantId: 'paid', amount: 1 } })
    await ask('DELETE', '/users/cleo')
    const { json } = await ask('GET', '/users:in-debt')
    expect(json['users']).toMatchObject([
      { uid: 'ada', username: 'ada', credits: -2, creditsOnHold: 0, state: 'active' },
      { uid: 'cleo', credits: -3, state: 'deleted' },
    ])
    expect(Object(json['users'])[1].username).toMatch(/^deleted-/)
  })

  test('goes on page by page, past pages whose users have paid', async () => {
    for (const uid of ['a', 'b', 'c']) {
      await make(uid)
      await correct(uid, -1)
    }
    await ask('POST', '/users/a/credits', { body: { grantId: 'paid', amount: 1 } })
    const first = await ask('GET', '/users:in-debt', { query: 'limit=1' })
    expect(first.json['users']).toEqual([])
    const query = `limit=2&cursor=${String(first.json['nextCursor'])}`
    const rest = await ask('GET', '/users:in-debt', { query })
    expect([uidsIn(rest.json['users']), rest.json['nextCursor']]).toEqual([['b', 'c'], undefined])
  })

  test.each([
    [`limit=${DEBTS_PAGE_MAX}`, 200],
    [`limit=${DEBTS_PAGE_MAX + 1}`, 400],
    ['cursor=MTphL2I', 400],
  ])('the query ?%s gets %i', async (query, status) => {
    expect((await ask('GET', '/users:in-debt', { query })).status).toBe(status)
  })
})

/** Writes what users were charged in an hour, as the roll-up does. */
async function charge(hour: number, charged: { readonly [uid: string]: number }): Promise<void> {
  const details = Object.entries(charged).map(
    ([uid, credits]): UsageDetail => ({
      uid,
      keyId: '',
      skillId: 'sg_weather',
      source: 'official',
      settled: 1,
      charged: credits * CREDIT,
      durationMs: 1,
      refunds: {},
    }),
  )
  const { usageSums } = world.ports
  await usageSums.replacePart({
    period: { level: 'hour', index: hour },
    before: { from: '', version: 0 },
    parts: [{ ...ALL_DETAILS, details }],
  })
  await usageSums.startHeads({ hour: TODAY + 3, day: -1, month: -1 })
}

describe('GET users:running-out', () => {
  test('lists the soonest first, by the mean of the last seven whole days', async () => {
    await make('ada', { credits: 10 })
    await make('bob', { credits: 3 })
    await make('rich', { credits: 1_000 })
    await make('idle', { credits: 0 })
    await charge(TODAY - 7 * 24 - 1, { ada: 700 })
    await charge(TODAY - 7 * 24, { ada: 7, bob: 3.5, rich: 7 })
    await charge(TODAY - 1, { ada: 7, bob: 3.5 })
    await charge(TODAY, { bob: 700 })
    const { json } = await ask('GET', '/users:running-out')
    expect(json).toEqual({
      sinceMs: (TODAY - 7 * 24) * HOUR_MS,
      untilMs: TODAY * HOUR_MS,
      notCompared: 0,
      users: [
        expect.objectContaining({ uid: 'bob', daysLeft: 3, chargedPerDay: 1, reaches: 'balance' }),
        expect.objectContaining({ uid: 'ada', daysLeft: 5, chargedPerDay: 2, credits: 10 }),
      ],
    })
  })

  test('counts a budget that is reached before it renews, and no budget that renews first', async () => {
    for (const uid of ['tight', 'loose', 'spent']) await make(uid, { credits: 1_000 })
    await ask('PATCH', '/users/tight', { body: { monthlyBudget: 6 } })
    await ask('PATCH', '/users/loose', { body: { monthlyBudget: 14 } })
    await ask('PATCH', '/users/spent', { body: { monthlyBudget: 0 } })
    await charge(TODAY - 1, { tight: 7, loose: 7, spent: 7 })
    const { json } = await ask('GET', '/users:running-out', { query: 'within=90' })
    expect(json['users']).toMatchObject([
      { uid: 'spent', daysLeft: 0, reaches: 'budget' },
      { uid: 'tight', daysLeft: 6, reaches: 'budget', monthlyBudget: { limit: 6 } },
    ])
  })

  test('has a debt as no day left, and no user who cannot call', async () => {
    for (const uid of ['owes', 'off', 'gone']) await make(uid, { credits: 1 })
    await correct('owes', -2)
    await ask('PATCH', '/users/off', { body: { state: 'disabled', reason: 'unpaid' } })
    await ask('DELETE', '/users/gone')
    await charge(TODAY - 1, { owes: 7, off: 7, gone: 7, unknown: 7 })
    const { json } = await ask('GET', '/users:running-out')
    expect(json['users']).toMatchObject([{ uid: 'owes', daysLeft: 0, credits: -1 }])
  })

  test('includes who has exactly the days that were asked for, and nobody with a moment more', async () => {
    await make('exact', { credits: 7 })
    await make('more', { credits: 7.000001 })
    await charge(TODAY - 1, { exact: 7, more: 7 })
    const within = async (query?: string) =>
      uidsIn(
        (await ask('GET', '/users:running-out', query === undefined ? {} : { query })).json[
          'users'
        ],
      )
    expect(await within()).toEqual(['exact'])
    expect(await within('within=7')).toEqual(['exact'])
    expect(await within('within=6')).toEqual([])
    expect(await within('within=8')).toEqual(['exact', 'more'])
  })

  test('compares the users who spend most if there are too many, and says how many it left out', async () => {
    await make('least', { credits: 0 })
    await make('most', { credits: 0 })
    const others = Array.from({ length: RUN_OUT_USERS_MAX - 1 }, (_, n) => [`x${n}`, 2] as const)
    await charge(TODAY - 1, { ...Object.fromEntries(others), most: 3 })
    const whole = await ask('GET', '/users:running-out')
    expect([whole.json['notCompared'], uidsIn(whole.json['users'])]).toEqual([0, ['most']])
    await charge(TODAY - 2, { least: 1 })
    const cut = await ask('GET', '/users:running-out')
    expect([cut.json['notCompared'], uidsIn(cut.json['users'])]).toEqual([1, ['most']])
  })

  test.each([
    [`within=${RUN_OUT_WITHIN_DAYS_MAX}`, 200],
    [`within=${RUN_OUT_WITHIN_DAYS_MAX + 1}`, 400],
    ['within=1', 200],
    ['within=0', 400],
    ['within=7d', 400],
  ])('the query ?%s gets %i', async (query, status) => {
    expect((await ask('GET', '/users:running-out', { query })).status).toBe(status)
  })
})

describe('PATCH users/{uid} with addGroups and removeGroups', () => {
  const patch = (body: JsonObject) => ask('PATCH', '/users/ada', { body })

  test('changes the groups that the user has then, whatever comes at once', async () => {
    await make('ada', { groups: ['old'] })
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => patch({ addGroups: [name] })))
    expect((await patch({ removeGroups: ['old', 'never'] })).json['groups']).toEqual(names)
    const both = await patch({ addGroups: ['e', 'a'], removeGroups: ['b', 'c', 'd'] })
    expect(both.json['groups']).toEqual(['a', 'e'])
    expect((await patch({ removeGroups: ['a', 'e'] })).json).not.toHaveProperty('groups')
  })

  test('fills up to the limit and refuses one group more, which changes nothing', async () => {
    await make('ada')
    const many = Array.from({ length: USER_GROUPS_MAX }, (_, n) => `g${n}`)
    expect((await patch({ addGroups: many })).json['groups']).toHaveLength(USER_GROUPS_MAX)
    const more = await patch({ addGroups: ['more'], tier: 'pro' })
    expect([more.status, more.json['errors']]).toMatchObject([422, [{ pointer: '/addGroups' }]])
    expect((await ask('GET', '/users/ada')).json).toMatchObject({ tier: 'free' })
    expect((await patch({ addGroups: ['more'], removeGroups: ['g0'] })).status).toBe(200)
  })

  test.each([
    [{ groups: ['a'], addGroups: ['b'] }, '/groups'],
    [{ groups: ['a'], removeGroups: ['b'] }, '/groups'],
    [{ addGroups: ['a'], removeGroups: ['a'] }, '/removeGroups'],
    [{ addGroups: ['no name'] }, '/addGroups/0'],
  ])('%j is refused at %s', async (body, pointer) => {
    await make('ada')
    const { json, status } = await patch(body)
    expect([status, Object(json['errors'])[0].pointer]).toEqual([422, pointer])
  })

  test('tells the agents of the user to list their tools again', async () => {
    await make('ada')
    const before = (await world.ports.profiles.read('ada'))?.skillsChangedAtMs ?? 0
    await patch({ addGroups: ['a'] })
    const after = (await world.ports.profiles.read('ada'))?.skillsChangedAtMs ?? 0
    expect(after).toBeGreaterThan(before)
    await patch({ removeGroups: ['a'] })
    expect((await world.ports.profiles.read('ada'))?.skillsChangedAtMs).toBeGreaterThan(after)
  })
})
