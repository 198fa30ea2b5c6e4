/** What users change of their own accounts: keys, secrets; the trail of it, and its limits. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNT_CHANGES_PER_MINUTE, OWN_KEYS_MAX } from '../../../../core/access/limits.ts'
import { issueKey } from '../../../../core/flow/users/manage-keys.ts'
import { makeWorld, SETTINGS, skillJson, type World } from '../../../core/flow/world.ts'
import { askAdmin } from '../admin-client.ts'
import { askMe } from './user-client.ts'

const TIERS = { free: { callsPerMinute: 1_000, holdsMax: 32 } }

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld({ ...SETTINGS, tiers: TIERS })
  ada = await world.user('ada', { groups: ['finance'] })
})

const bearer = (key: unknown) => `Bearer ${String(key)}`
const countKeys = async () => (await world.ports.keys.list('ada')).length

describe('keys', () => {
  test('a new key works, is listed without its text, and ends when it is revoked', async () => {
    const { json: made, status } = await askMe(world, ada, 'POST /me/keys', {
      body: { tools: ['sg_*'] },
    })
    expect([status, made['key']]).toEqual([201, expect.stringMatching(/^sgk_/)])
    expect((await askMe(world, bearer(made['key']), 'GET /me')).json['mayManage']).toBe(false)
    const listed = await askMe(world, ada, 'GET /me/keys')
    expect(listed.text).toContain(String(made['keyId']))
    expect(listed.text).not.toContain(String(made['key']))
    const { json } = await askMe(world, ada, `DELETE /me/keys/${made['keyId']}`)
    expect(json).toEqual({ keysLeft: 1 })
    expect((await askMe(world, bearer(made['key']), 'GET /me')).status).toBe(401)
  })

  test('the last key can be revoked, and the answer says so', async () => {
    const { json } = await askMe(world, ada, 'GET /me')
    const revoked = await askMe(world, ada, `DELETE /me/keys/${json['keyId']}`)
    expect(revoked.json).toEqual({ keysLeft: 0, warning: expect.stringContaining('your last key') })
    expect((await askMe(world, ada, 'GET /me')).status).toBe(401)
  })

  test('the key that was sent can be revoked, and the answer says so', async () => {
    await askMe(world, ada, 'POST /me/keys')
    const { json } = await askMe(world, ada, 'GET /me')
    const revoked = await askMe(world, ada, `DELETE /me/keys/${json['keyId']}`)
    expect(revoked.json).toEqual({ keysLeft: 1, warning: expect.stringContaining('that you sent') })
  })

  test('a key that is revoked while it makes another one makes none', async () => {
    const { json } = await askMe(world, ada, 'GET /me')
    const { keys } = world.ports
    world.ports.keys = {
      ...keys,
      put: async (record) => {
        await keys.put(record)
        await keys.revoke({ uid: 'ada', keyHash: String(json['keyId']) })
      },
    }
    const { status } = await askMe(world, ada, 'POST /me/keys')
    expect([status, await countKeys()]).toEqual([401, 0])
  })

  test('a user may have OWN_KEYS_MAX keys, and one more is refused and not left behind', async () => {
    while ((await countKeys()) < OWN_KEYS_MAX - 1) await issueKey(world.ports, 'ada')
    expect((await askMe(world, ada, 'POST /me/keys')).status).toBe(201)
    const { json, status } = await askMe(world, ada, 'POST /me/keys')
    expect([status, json['code'], await countKeys()]).toEqual([409, 'conflict', OWN_KEYS_MAX])
    expect(json['detail']).toContain(`You have ${OWN_KEYS_MAX} keys`)
  })

  test('20 keys at once near the limit never exceed it, and each answered key is stored', async () => {
    while ((await countKeys()) < OWN_KEYS_MAX - 5) await issueKey(world.ports, 'ada')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askMe(world, ada, 'POST /me/keys')),
    )
    const made = answers.filter(({ status }) => status === 201).map(({ json }) => json['keyId'])
    const stored = (await world.ports.keys.list('ada')).map(({ keyHash }) => keyHash)
    expect(stored.length).toBeLessThanOrEqual(OWN_KEYS_MAX)
    expect(made.every((keyId) => stored.includes(String(keyId)))).toBe(true)
    expect(stored.length).toBe(OWN_KEYS_MAX - 5 + made.length)
  })
})

describe('secrets', () => {
  const value = 'correct horse battery staple'
  const needing = { config: { headers: { 'x-key': '{{secrets.API_KEY}}' } } }

  test('a secret is set for the origins that were confirmed, and no answer has its value', async () => {
    await world.skill('sg_weather', needing)
    const body = { value, confirmedOrigins: ['https://api.example'] }
    const set = await askMe(world, ada, 'PUT /me/secrets/API_KEY?skill=sg_weather', { body })
    expect([set.status, set.json['origins']]).toEqual([200, ['https://api.example']])
    const listed = await askMe(world, ada, 'GET /me/secrets')
    expect(listed.text).toContain('API_KEY')
    expect(set.text + listed.text).not.toContain(value)
  })

  test('a skill that sends elsewhere since the user looked gets no secret', async () => {
    const skill = skillJson('sg_weather', needing)
    await world.skill('sg_weather', {
      config: { ...Object(skill['config']), endpoint: 'https://other.example/x' },
    })
    const body = { value, confirmedOrigins: ['https://api.example'] }
    const set = await askMe(world, ada, 'PUT /me/secrets/API_KEY?skill=sg_weather', { body })
    expect([set.status, set.json['code']]).toEqual([409, 'conflict'])
    expect(set.json['detail']).toContain('https://other.example')
    expect((await askMe(world, ada, 'GET /me/secrets')).json['secrets']).toEqual([])
  })

  test('a skill of a group of others is absent, and where it sends is not told', async () => {
    await world.skill('sg_secret', { ...needing, groups: ['board'] })
    const body = { value }
    const set = await askMe(world, ada, 'PUT /me/secrets/API_KEY?skill=sg_secret', { body })
    expect([set.status, set.json['code']]).toEqual([404, 'not_found'])
    expect(set.text).not.toContain('api.example')
    await world.skill('sg_open', { ...needing, groups: ['finance'] })
    const own = await askMe(world, ada, 'PUT /me/secrets/API_KEY?skill=sg_open', { body })
    expect(own.status).toBe(200)
  })

  test('two values set at once leave one of them as a whole', async () => {
    const both = ['https://a.example', 'https://b.example'].map((origin) =>
      askMe(world, ada, 'PUT /me/secrets/API_KEY', { body: { value, origins: [origin] } }),
    )
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    const { json } = await askMe(world, ada, 'GET /me/secrets')
    const [secret, ...others] = Array.isArray(json['secrets']) ? json['secrets'] : []
    expect([Object(secret)['origins'].length, others]).toEqual([1, []])
  })
})

describe('the trail of changes', () => {
  test('a change names the user and the key, and keeps no value', async () => {
    const { json } = await askMe(world, ada, 'GET /me')
    const body = { value: 'correct horse battery staple' }
    await askMe(world, ada, 'PUT /me/secrets/API_KEY', { body, sourceIp: '192.0.2.7' })
    const trail = await askAdmin(world, 'GET', '/audit', { query: 'who=ada' })
    const [change] = Array.isArray(trail.json['changes']) ? trail.json['changes'] : []
    expect(change).toMatchObject({
      who: { name: 'ada', role: 'user', keyId: json['keyId'] },
      operation: 'setMySecret',
      route: '/me/secrets/{name}',
      target: { uid: 'ada', name: 'API_KEY' },
      sourceAddress: '192.0.2.7',
      outcome: 'done',
      status: 200,
    })
    expect(trail.text).not.toContain('correct horse')
    const byKey = await askAdmin(world, 'GET', '/audit', { query: `who=${json['keyId']}` })
    expect(byKey.json['changes']).toHaveLength(1)
  })

  test('a change does not begin without a record of it', async () => {
    const { auditTrail } = world.ports
    world.ports.auditTrail = { ...auditTrail, append: () => Promise.reject(new Error('down')) }
    expect((await askMe(world, ada, 'POST /me/keys')).status).toBe(500)
    expect(await countKeys()).toBe(1)
  })
})

test('a user changes ACCOUNT_CHANGES_PER_MINUTE things a minute, with all keys together', async () => {
  const other = bearer((await askMe(world, ada, 'POST /me/keys')).json['key'])
  const change = (key: string) => askMe(world, key, `DELETE /me/keys/${'x'.repeat(43)}`)
  for (let sent = 2; sent <= ACCOUNT_CHANGES_PER_MINUTE; sent += 1) {
    expect((await change(sent % 2 === 0 ? ada : other)).status).toBe(404)
  }
  const { headers, json, status } = await change(ada)
  expect([status, json['code']]).toEqual([429, 'rate_limited'])
  expect(json['detail']).toContain(`${ACCOUNT_CHANGES_PER_MINUTE} changes to your account a minute`)
  expect(headers['retry-after']).toMatch(/^\d+$/)
  expect((await change(other)).status).toBe(429)
  expect((await askMe(world, ada, 'GET /me/keys')).status).toBe(200)
})
