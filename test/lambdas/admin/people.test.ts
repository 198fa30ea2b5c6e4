/** The admin routes of users as a support team uses them: list, find, show, disable, delete, batches. */

import { beforeEach, describe, expect, test } from 'vitest'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { USERS_PAGE_MAX } from '../../../core/access/user-directory.ts'
import { IDENTITY_CHARS_MAX } from '../../../core/access/user-names.ts'
import { REASON_CHARS_MAX } from '../../../core/access/user-state.ts'
import { Fault } from '../../../core/errors.ts'
import { openSession } from '../../../core/flow/sse/open-session.ts'
import { DETAIL_ENTRIES_MAX } from '../../../core/flow/users/show-user.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { GROUP_CHARS_MAX } from '../../../core/skills/group-names.ts'
import { run } from '../../core/flow/caller.ts'
import { keyFor, makeWorld, okOf, type World } from '../../core/flow/world.ts'
import { type AdminReply, askAdmin } from './admin-client.ts'

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

async function found(query: string): Promise<readonly Json[]> {
  const { json, status } = await ask('GET', '/users', { query })
  expect(status).toBe(200)
  return uidsIn(json['users'])
}

function uidsIn(users: Json | undefined): readonly Json[] {
  return Array.isArray(users) ? users.map((user) => Object(user).uid) : []
}

describe('GET users', () => {
  test('lists users by name, page by page, with nothing that a call changes', async () => {
    for (const uid of ['cleo', 'Ada', 'bob']) await make(uid, { credits: 5 })
    const first = await ask('GET', '/users', { query: 'limit=2' })
    expect(first.json['users']).toEqual([
      {
        uid: 'Ada',
        username: 'Ada',
        tier: 'free',
        state: 'active',
        createdAtMs: 2_000_000_000_000,
      },
      {
        uid: 'bob',
        username: 'bob',
        tier: 'free',
        state: 'active',
        createdAtMs: 2_000_000_000_000,
      },
    ])
    const cursor = String(first.json['nextCursor'])
    const second = await ask('GET', '/users', { query: `limit=2&cursor=${cursor}` })
    expect([uidsIn(second.json['users']), second.json['nextCursor']]).toEqual([['cleo'], undefined])
  })

  test('finds by the beginning of the username in any case, by tier and by state', async () => {
    await make('ada', { username: 'Ada Lovelace' })
    await make('ada2', { username: 'ada b', tier: 'pro' })
    await make('bob')
    const disabled = { state: 'disabled', reason: 'unpaid' }
    await ask('PATCH', '/users/bob', { body: disabled })
    expect(await found('username=ADA')).toEqual(['ada2', 'ada'])
    expect(await found('username=ada%20l')).toEqual(['ada'])
    expect(await found('tier=pro')).toEqual(['ada2'])
    expect(await found('state=disabled')).toEqual(['bob'])
    expect(await found('state=active&tier=free')).toEqual(['ada'])
    expect(await found('username=nobody')).toEqual([])
  })

  test('finds the users of a group, which lists show, and refuses what is no name of a group', async () => {
    await make('ada', { groups: ['finance', 'sales'] })
    await make('bob', { groups: ['sales'], tier: 'pro' })
    await make('cleo')
    expect(await found('group=sales')).toEqual(['ada', 'bob'])
    expect(await found('group=sales&tier=pro')).toEqual(['bob'])
    expect(await found('group=finance&uid=ada')).toEqual(['ada'])
    expect(await found('group=finance&uid=bob')).toEqual([])
    expect(await found('group=Finance')).toEqual([])
    await ask('PATCH', '/users/ada', { body: { groups: ['support'] } })
    expect(await found('group=finance')).toEqual([])
    const { json } = await ask('GET', '/users', { query: 'group=support' })
    expect(json['users']).toMatchObject([{ uid: 'ada', groups: ['support'] }])
    expect(await found(`group=${'g'.repeat(GROUP_CHARS_MAX)}`)).toEqual([])
    for (const group of ['g'.repeat(GROUP_CHARS_MAX + 1), '', 'a%20b']) {
      expect((await ask('GET', '/users', { query: `group=${group}` })).status).toBe(400)
    }
  })

  test('finds the one user of a uid, a key id or an identity, if the other filters fit', async () => {
    await make('ada', { identity: 'Ada@Example.com' })
    await make('bob')
    const { json } = await ask('POST', '/users/ada/keys')
    const keyId = String(json['keyId'])
    expect(await found('uid=ada')).toEqual(['ada'])
    expect(await found(`keyId=${keyId}`)).toEqual(['ada'])
    expect(await found('identity=ada%40EXAMPLE.com')).toEqual(['ada'])
    expect(await found(`uid=ada&keyId=${keyId}&identity=ada@example.com`)).toEqual(['ada'])
    expect(await found(`uid=bob&keyId=${keyId}`)).toEqual([])
    expect(await found('uid=ada&tier=pro')).toEqual([])
    expect(await found('uid=ada&username=b')).toEqual([])
    expect(await found('uid=nobody')).toEqual([])
    expect(await found(`keyId=${'x'.repeat(43)}`)).toEqual([])
    expect(await found('identity=nobody@example.com')).toEqual([])
  })

  test.each([
    [`limit=${USERS_PAGE_MAX}`, 200],
    [`limit=${USERS_PAGE_MAX + 1}`, 400],
    ['limit=0', 400],
    ['cursor=MTpub25l', 400],
    ['state=gone', 400],
    ['tier=a%20b', 400],
    ['name=ada', 400],
  ])('the query ?%s gets %i', async (query, status) => {
    expect((await ask('GET', '/users', { query })).status).toBe(status)
  })
})

describe('GET users/{uid}', () => {
  test('shows everything about a user, and no key or secret', async () => {
    const key = await world.user('ada')
    await world.skill('sg_weather')
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    const value = 'correct horse battery staple'
    await ask('PUT', '/users/ada/secrets/API_KEY', { body: { value } })
    okOf(await openSession(world.ports, world.settings, credentialOf(key)))
    for (let call = 0; call < 11; call += 1) await run(world, key, 'sg_weather')
    const { json, text } = await ask('GET', '/users/ada')
    expect(json).toMatchObject({
      uid: 'ada',
      credits: 89,
      creditsOnHold: 0,
      state: 'active',
      cut: [],
    })
    expect(json['keys']).toHaveLength(1)
    const keyId = Object(json['keys'])[0].keyId
    expect(json['openStreams']).toEqual([{ keyId, openedAtMs: world.clock.nowMs() }])
    expect(json['secrets']).toMatchObject([{ name: 'API_KEY' }])
    expect(json['privateSkills']).toMatchObject([{ skillId: 'sg_mine', toolName: 'ada_sg_mine' }])
    expect(json['lastCalls']).toHaveLength(10)
    for (const hidden of [key.replace('Bearer ', ''), value]) expect(text).not.toContain(hidden)
  })

  test('shows no stream of another user, and says which lists go on', async () => {
    await world.user('ada')
    okOf(await openSession(world.ports, world.settings, credentialOf(await world.user('bob'))))
    for (let key = 0; key < DETAIL_ENTRIES_MAX - 1; key += 1) await keyFor(world, 'ada')
    expect((await ask('GET', '/users/ada')).json).toMatchObject({ cut: [], openStreams: [] })
    await keyFor(world, 'ada')
    const { json } = await ask('GET', '/users/ada')
    expect([json['cut'], Object(json['keys']).length]).toEqual([['keys'], DETAIL_ENTRIES_MAX])
  })
})

describe('PATCH users/{uid}', () => {
  test('disables a user with a reason, and makes the user active again', async () => {
    await make('ada')
    const disabled = await ask('PATCH', '/users/ada', {
      body: { state: 'disabled', reason: 'unpaid' },
    })
    expect(disabled.json).toMatchObject({ state: 'disabled', reason: 'unpaid' })
    const active = await ask('PATCH', '/users/ada', { body: { state: 'active' } })
    expect([active.json['state'], active.json['reason']]).toEqual(['active', undefined])
  })

  test.each([
    [{ state: 'disabled' }, '/reason'],
    [{ state: 'disabled', reason: '' }, '/reason'],
    [{ state: 'disabled', reason: 'x'.repeat(REASON_CHARS_MAX + 1) }, '/reason'],
    [{ state: 'active', reason: 'paid' }, '/reason'],
    [{ reason: 'unpaid' }, '/reason'],
    [{ state: 'deleted', reason: 'x' }, '/state'],
    [{ identity: '' }, '/identity'],
    [{ identity: ' ada' }, '/identity'],
    [{ identity: 'x'.repeat(IDENTITY_CHARS_MAX + 1) }, '/identity'],
  ])('refuses %j', async (body, pointer) => {
    await make('ada')
    const { json, status } = await ask('PATCH', '/users/ada', { body })
    expect([status, Object(json['errors'])[0].pointer]).toEqual([422, pointer])
  })

  test('takes the longest reason and identity', async () => {
    await make('ada')
    const reason = 'x'.repeat(REASON_CHARS_MAX)
    const identity = 'x'.repeat(IDENTITY_CHARS_MAX)
    const body = { state: 'disabled', reason, identity }
    expect((await ask('PATCH', '/users/ada', { body })).json).toMatchObject({ reason, identity })
  })

  test('gives an identity to one user alone, and takes it away with null', async () => {
    await make('ada', { identity: 'a@example.com' })
    await make('bob')
    const wanted = { body: { identity: 'A@example.com' } }
    expect((await ask('PATCH', '/users/bob', wanted)).status).toBe(409)
    const made = await ask('POST', '/users', {
      body: { username: 'eve', identity: 'a@example.com' },
    })
    expect(made.status).toBe(409)
    const without = await ask('PATCH', '/users/ada', { body: { identity: null } })
    expect(without.json['identity']).toBeUndefined()
    expect((await ask('PATCH', '/users/bob', wanted)).status).toBe(200)
  })
})

describe('DELETE users/{uid}', () => {
  test('is 204 each time, leaves a tombstone in the list, and is 404 for nobody', async () => {
    await make('ada', { credits: 5 })
    expect((await ask('DELETE', '/users/ada')).status).toBe(204)
    expect((await ask('DELETE', '/users/ada')).status).toBe(204)
    expect((await ask('DELETE', '/users/eve')).status).toBe(404)
    expect(await found('')).toEqual([])
    expect(await found('state=deleted')).toEqual(['ada'])
    expect((await ask('GET', '/users/ada')).json).toMatchObject({ state: 'deleted', credits: 5 })
    expect((await ask('GET', '/users/ada/ledger')).status).toBe(200)
  })
})

const linesOf = (...lines: readonly Json[]) => lines.map((line) => JSON.stringify(line)).join('\n')

function resultsIn({ json, status }: AdminReply): readonly JsonObject[] {
  expect(status).toBe(207)
  return Array.isArray(json['results']) ? json['results'].map((one) => Object(one)) : []
}

describe('POST users:batch', () => {
  test('makes a user of each line, with warnings, and says by number which lines it refuses', async () => {
    const body = [
      linesOf({ uid: 'ada', username: 'ada', credits: 5, identity: 'a@example.com' }),
      '',
      linesOf({ uid: 'ada2', username: 'ada2', tier: 'gold' }),
      '{"uid":',
      linesOf({ username: 'nobody' }, [1]),
    ].join('\n')
    const results = resultsIn(await ask('POST', '/users:batch', { body }))
    expect(results.map(({ line, status, uid }) => [line, status, uid])).toEqual([
      [1, 201, 'ada'],
      [3, 201, 'ada2'],
      [4, 400, undefined],
      [5, 422, undefined],
      [6, 422, undefined],
    ])
    expect(results[1]?.['warnings']).toHaveLength(1)
    expect(String(results[3]?.['detail'])).toMatch(/^\/uid: is missing/)
    expect((await ask('GET', '/users/ada')).json).toMatchObject({
      credits: 5,
      identity: 'a@example.com',
    })
    const taken = linesOf({ uid: 'eve', username: 'eve', identity: 'A@example.com' })
    const refused = resultsIn(await ask('POST', '/users:batch', { body: taken }))
    expect(refused).toMatchObject([{ line: 1, status: 409, code: 'conflict' }])
    expect(await found('')).toEqual(['ada', 'ada2'])
  })

  test('sent again finds each user, pays nothing twice, and refuses another one of the uid', async () => {
    const body = linesOf(
      { uid: 'ada', username: 'ada', credits: 5 },
      { uid: 'bob', username: 'bob' },
    )
    await ask('POST', '/users:batch', { body })
    const again = resultsIn(await ask('POST', '/users:batch', { body }))
    expect(again.map(({ status }) => status)).toEqual([200, 200])
    const others = linesOf(
      { uid: 'ada', username: 'eve' },
      { uid: 'ada', username: 'ada', tier: 'pro' },
      { uid: 'ada', username: 'ada', credits: 6 },
    )
    const refused = resultsIn(await ask('POST', '/users:batch', { body: others }))
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409])
    expect((await ask('GET', '/users/ada')).json).toMatchObject({ username: 'ada', credits: 5 })
  })

  test('sent again after a store that failed at any request completes every line', async () => {
    const body = linesOf({ uid: 'ada', username: 'ada', credits: 5, identity: 'a@example.com' })
    for (let nth = 1; ; nth += 1) {
      world = makeWorld()
      const { grant } = world.ports.ledger
      const { change, create } = world.ports.profiles
      let asked = 0
      const failing =
        <A extends readonly unknown[], T>(work: (...given: A) => Promise<T>) =>
        async (...given: A) => {
          asked += 1
          if (asked === nth) throw new Fault('store_unavailable', 'down')
          return work(...given)
        }
      const { ledger, profiles } = world.ports
      world.ports.ledger = { ...ledger, grant: failing(grant) }
      world.ports.profiles = { ...profiles, create: failing(create), change: failing(change) }
      const [first] = resultsIn(await ask('POST', '/users:batch', { body }))
      if (asked < nth) break
      expect(first?.['status']).toBe(503)
      const [again] = resultsIn(await ask('POST', '/users:batch', { body }))
      expect(again?.['status']).toBe(nth === 1 ? 201 : 200)
      expect((await ask('GET', '/users/ada')).json).toMatchObject({
        credits: 5,
        identity: 'a@example.com',
      })
    }
  })
})

describe('POST credits:batch', () => {
  test('pays each line once, however often it is sent', async () => {
    await make('ada')
    await make('bob')
    const body = linesOf(
      { uid: 'ada', grantId: 'november', amount: 10 },
      { uid: 'ada', grantId: 'bonus', amount: '0.5' },
      { uid: 'bob', grantId: 'november', amount: 7 },
      { uid: 'eve', grantId: 'november', amount: 7 },
      { uid: 'bob', grantId: 'november', amount: 8 },
      { uid: 'bob', grantId: 'x', amount: 0 },
    )
    const first = resultsIn(await ask('POST', '/credits:batch', { body }))
    expect(first.map(({ granted, status }) => [status, granted])).toEqual([
      [200, true],
      [200, true],
      [200, true],
      [404, undefined],
      [409, undefined],
      [422, undefined],
    ])
    const again = resultsIn(await ask('POST', '/credits:batch', { body }))
    expect(again.slice(0, 3).map(({ granted }) => granted)).toEqual([false, false, false])
    expect((await ask('GET', '/users/ada')).json['credits']).toBe(10.5)
    expect((await ask('GET', '/users/bob')).json['credits']).toBe(7)
  })
})
