/**
 * Requests that the admin function passes to its flows: paths, parameters and bodies, at and past
 * each rule.
 */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

async function worldOfAda() {
  const world = makeWorld()
  await world.user('ada')
  return world
}

test.each(['GET', 'DELETE'])(
  'a %s of a private skill without an owner points to uid',
  async (how) => {
    const refused = await askAdmin(makeWorld(), how, '/skills/private/sg_x')
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ pointer: '/query/uid' }] } })
  },
)

describe('a path parameter', () => {
  test.each([
    ['percent-encoded', '/users/%61d%61', 200],
    ['of a user whom nobody knows', '/users/bob', 404],
    ['that is two dots', '/users/%2e%2e', 400],
    ['that is two dots as they are', '/users/..', 400],
    ['with an encoded slash', '/users/a%2Fb', 400],
    ['in another script', '/users/%D0%B0%D0%B4%D0%B0', 400],
    ['of 64 characters', `/users/${'u'.repeat(64)}`, 404],
    ['of 65 characters', `/users/${'u'.repeat(65)}`, 400],
    ['with a line break at its end', '/users/ada%0A', 400],
    ['with a zero byte', '/users/a%00', 400],
    ['that is no UTF-8', '/users/%E0%A4%A', 400],
    ['that is encoded twice', '/users/%2561da', 400],
    ['that is empty', '/users/', 404],
    ['that is empty in the middle', '/users//keys', 404],
    ['that is empty before a verb', '/upstreams/:refresh', 400, 'POST'],
    ['with another behind it', '/users/ada/', 404],
    ['that is a skill id in another script', '/skills/official/sg_stra%C3%9Fe', 404],
    ['that is a skill id of 200 characters', `/skills/official/${'s'.repeat(200)}`, 404],
    ['that is a skill id of 201', `/skills/official/${'s'.repeat(201)}`, 400],
    ['that is a skill id with a slash', '/skills/official/sg%2Fx', 400],
    ['that is no tier', '/skills/public/sg_x', 400],
    ['that is no key id', '/users/ada/keys', 405, 'DELETE'],
  ])('%s (%s) gets %i', async (_what, path, status, method = 'GET') => {
    const answered = await askAdmin(await worldOfAda(), method, path)
    expect(answered.status).toBe(status)
  })

  test('that does not fit is named with its rule and without its value', async () => {
    const { json } = await askAdmin(makeWorld(), 'DELETE', '/users/ada/keys/k%21k')
    expect(json).toMatchObject({
      status: 400,
      code: 'malformed',
      errors: [
        {
          pointer: '/path/keyId',
          message:
            'must be a keyId as the list of keys shows it: 43 characters of A-Z, a-z, 0-9, - and _, with sub: before them for a sub-key, i: for an identity and n: for an invitation',
        },
      ],
    })
    expect(JSON.stringify(json)).not.toContain('k!k')
  })
})

describe('a query parameter', () => {
  test.each([
    ['limit=1', 200],
    ['limit=100', 200],
    ['limit=101', 400],
    ['limit=0', 400],
    ['limit=-1', 400],
    ['limit=1.5', 400],
    ['limit=1e1', 400],
    ['limit=', 400],
    ['limit=%31', 200],
    ['limit=1&limit=1', 400],
    ['cursor=', 400],
    ['cursor=a%20b', 400],
    [`cursor=${'A'.repeat(4097)}`, 400],
    ['Limit=1', 400],
    ['__proto__=1', 400],
    ['toString=1', 400],
  ])('the query %s of a list gets %i', async (query, status) => {
    expect((await askAdmin(await worldOfAda(), 'GET', '/users/ada/keys', { query })).status).toBe(
      status,
    )
  })

  test('that is unknown is named with the known ones, all faults at once', async () => {
    const { json } = await askAdmin(await worldOfAda(), 'GET', '/users/ada/keys', {
      query: 'page=2&limit=0&limit=7',
    })
    expect(json['errors']).toEqual([
      { pointer: '/query/limit', message: 'was sent more than once; send it once' },
      {
        pointer: '/query/page',
        message: 'is not a parameter of this request; it takes limit, cursor',
      },
    ])
    const { json: none } = await askAdmin(makeWorld(), 'GET', '/users/ada', { query: 'x=1' })
    expect(none['detail']).toBe('/query/x: is not a parameter of this request; it takes none')
  })
})

describe('a body', () => {
  const users: readonly (readonly [what: string, body: Json, status: number])[] = [
    ['with a name of 40 characters', { username: 'é'.repeat(40) }, 201],
    ['with a name of 41', { username: 'é'.repeat(41) }, 422],
    ['with a name of 40 emoji', { username: '🦊'.repeat(40) }, 201],
    ['with a name of spaces', { username: '  ' }, 422],
    ['with a name that holds a line break', { username: 'a\nb' }, 422],
    ['with a uid of 64 characters', { username: 'a', uid: 'u'.repeat(64) }, 201],
    ['with a uid of 65', { username: 'a', uid: 'u'.repeat(65) }, 422],
    ['with a uid of other characters', { username: 'a', uid: 'a/b' }, 422],
    ['with no credits', { username: 'a', credits: 0 }, 201],
    ['with a hundred million credits', { username: 'a', credits: 100_000_000 }, 201],
    ['with one more', { username: 'a', credits: 100_000_001 }, 422],
    ['with credits as a text', { username: 'a', credits: '0.000001' }, 201],
    ['with credits finer than a millionth', { username: 'a', credits: 0.0000001 }, 422],
    ['with less than no credits', { username: 'a', credits: -1 }, 422],
    ['with credits that are none', { username: 'a', credits: true }, 422],
    ['without a name', { uid: 'u' }, 422],
    ['with null for a name', { username: null }, 422],
    ['with a field that is not taken', { username: 'a', name: 'a' }, 422],
    ['that is a list', [], 400],
    ['that is null', null, 400],
    ['that is a number', 1, 400],
  ]
  test.each(users)('a user %s (case %#: %j) gets %i', async (_what, body, status) => {
    const sent = body === null ? 'null' : body
    expect((await askAdmin(makeWorld(), 'POST', '/users', { body: sent })).status).toBe(status)
  })

  test('is refused for all its faults at once, each with pointer, rule and remedy', async () => {
    const body = { name: 'Ada', tier: '', credits: 'lots' }
    const { json, status } = await askAdmin(makeWorld(), 'POST', '/users', { body })
    expect([status, json['code'], json['errors']]).toEqual([
      422,
      'invalid_arguments',
      [
        {
          pointer: '/name',
          message:
            'is not a field of this request; it takes username, uid, tier, credits, identity, groups',
        },
        {
          pointer: '/username',
          message: 'is missing; it must be 1 to 40 characters, none of them hidden',
        },
        { pointer: '/tier', message: 'must be 1 to 64 characters of A-Z, a-z, 0-9, - and _' },
        {
          pointer: '/credits',
          message:
            'must be a number of credits from 0 to 100000000 with at most 6 decimals, such as 2.5',
        },
      ],
    ])
    expect(JSON.stringify(json)).not.toContain('lots')
  })

  test('with a hundred thousand unknown fields of long names gets a short answer', async () => {
    const names = Array.from({ length: 100_000 }, (_, n) => [`${'~/'.repeat(8)}${n}`, 0])
    const { status, text } = await askAdmin(makeWorld(), 'POST', '/users', {
      body: Object.fromEntries(names),
    })
    expect(status).toBe(422)
    expect(text.length).toBeLessThan(8_000)
  })

  test('of 3 MB as a user name is refused at once', async () => {
    const username = `${'a'.repeat(2_900_000)}\u0001`
    const { status } = await askAdmin(makeWorld(), 'POST', '/users', { body: { username } })
    expect(status).toBe(422)
  })

  test('that changes nothing of a user is refused', async () => {
    const { json, status } = await askAdmin(await worldOfAda(), 'PATCH', '/users/ada', { body: {} })
    expect([status, json['detail']]).toEqual([
      422,
      'body: is empty; send username, tier, identity, groups, addGroups, removeGroups, state, monthlyBudget, lowBalance or list',
    ])
  })

  test('of a route without a body is ignored', async () => {
    const sent = { body: '{"broken' }
    expect((await askAdmin(await worldOfAda(), 'GET', '/users/ada/keys', sent)).status).toBe(200)
  })

  test.each<[string, Json, string]>([
    ['/migrate', { dryRun: true, close: true }, '/close'],
    ['/migrate', { cursor: 'x' }, '/cursor'],
    ['/sync_cache', { mode: 'rebuild', cursor: 'x' }, '/cursor'],
    ['/sync_cache', { mode: 'replace' }, '/tools'],
  ])('the body of POST %s, %j, gets 422 with its pointer', async (path, body, pointer) => {
    const refused = await askAdmin(makeWorld(), 'POST', path, { body })
    expect(refused).toMatchObject({ status: 422, json: { errors: [{ pointer }] } })
  })

  test('with too many decimals names the field once', async () => {
    const body = { grantId: 'g', amount: 0.0000001 }
    const refused = await askAdmin(await worldOfAda(), 'POST', '/users/ada/credits', { body })
    expect(refused.json['detail']).toBe('/amount: has more than 6 decimals; round it to 0.000001')
  })

  test('with 10,000 pushed tools is taken, one more is refused', async () => {
    const tools = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        name: `sg_t${n}`,
        description: 'd',
        inputSchema: { type: 'object' },
      }))
    const push = (count: number) =>
      askAdmin(makeWorld(), 'POST', '/sync_cache', {
        body: { mode: 'replace', tools: tools(count) },
      })
    expect(await push(10_000)).toMatchObject({ status: 200, json: { tools: 10_000 } })
    expect(await push(10_001)).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '/tools', message: 'must be an array of at most 10000 tools' }] },
    })
  })
})

test.each([
  ['1.00000000000000000001', 422],
  ['"1.000001"', 200],
  ['1.000001', 200],
])(
  'an amount that is written as %s, which JSON.parse may change, gets %i',
  async (amount, status) => {
    const world = await worldOfAda()
    const body = `{"grantId":"g","amount":${amount}}`
    const answered = await askAdmin(world, 'POST', '/users/ada/credits', { body })
    expect(answered.status).toBe(status)
    if (status !== 200) expect(answered.json).toMatchObject({ errors: [{ pointer: '/amount' }] })
  },
)
