/** Which credential may do what at the users' API, and that no route shows or changes another user. */
import { beforeEach, describe, expect, test } from 'vitest'
import { toIdentityId, toProvisionedUid } from '../../../../core/access/identity.ts'
import { issueSubKey } from '../../../../core/flow/users/issue-sub-key.ts'
import type { Issuer } from '../../../../core/issuers/issuer.ts'
import { USER_ROUTES } from '../../../../lambdas/admin/me/me-routes.ts'
import { run } from '../../../core/flow/caller.ts'
import { makeWorld, okOf, type World } from '../../../core/flow/world.ts'
import { acceptTokens, ISSUER, ISSUER_SETTINGS } from '../../issuers/issued-tokens.ts'
import { askAdmin } from '../admin-client.ts'
import { askMe } from './user-client.ts'

let world: World
let ada: string
let bob: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  bob = await world.user('bob')
  await world.skill('sg_weather', { config: { headers: { 'x-key': '{{secrets.API_KEY}}' } } })
})

async function limitedKey(limits: object): Promise<string> {
  const { json } = await askAdmin(world, 'POST', '/users/ada/keys', { body: { ...limits } })
  return `Bearer ${String(json['key'])}`
}

async function subKey(): Promise<string> {
  const parent = await limitedKey({ mayIssueKeys: true })
  const profile = await world.profile('ada')
  const principal = {
    keyHash: world.ports.digests.sha256(parent.slice('Bearer '.length)),
    uid: 'ada',
    username: 'ada',
    sealingKey: '',
    scope: { mayIssueKeys: true },
  } as const
  const issued = okOf(await issueSubKey(world.ports, { principal, profile }, {}))
  return `Bearer ${issued.key}`
}

const MANAGING = USER_ROUTES.filter(({ needs }) => needs === 'managing')

describe('a person of an issuer who comes to this API before any client', () => {
  const ask = (bearer: string) => askMe({ ...world, settings: ISSUER_SETTINGS }, bearer, 'GET /me')

  test('is given the user that /mcp would give, once', async () => {
    const issuer: Issuer = { ...ISSUER, provision: 'auto', initialCredits: 5 }
    const { issue } = acceptTokens(world, issuer)
    const people = [issue('grace'), issue('grace'), issue('heidi')]
    const seen = await Promise.all(people.map(ask))
    expect(seen.map(({ json, status }) => [status, json['credits']])).toEqual(
      people.map(() => [200, 5]),
    )
    const [grace, same, heidi] = seen.map(({ json }) => json['uid'])
    const id = toIdentityId(world.ports.digests, { issuer: ISSUER.issuer, subject: 'grace' })
    expect([grace, same]).toEqual([toProvisionedUid(id), toProvisionedUid(id)])
    expect(heidi).not.toBe(grace)
  })

  test('is refused where the issuer makes no users, and nothing is made', async () => {
    const { issue } = acceptTokens(world)
    const { json, status } = await ask(issue('grace'))
    expect([status, json['code']]).toEqual([403, 'forbidden'])
    const id = toIdentityId(world.ports.digests, { issuer: ISSUER.issuer, subject: 'grace' })
    expect(await world.ports.profiles.read(toProvisionedUid(id))).toBeUndefined()
  })
})

describe('a credential that may do less than its user', () => {
  test.each<[string, () => Promise<string>]>([
    ['a key with globs of tools', () => limitedKey({ tools: ['sg_*'] })],
    ['a key with a highest price', () => limitedKey({ maxCreditsPerCall: 5 })],
    ['a key with a monthly budget', () => limitedKey({ monthlyBudget: 10 })],
    ['a key with calls per day', () => limitedKey({ callsPerDay: 10 })],
    ['a sub-key', subKey],
  ])('%s reads the account and manages nothing', async (_what, open) => {
    const key = await open()
    const { json } = await askMe(world, key, 'GET /me')
    expect([json['uid'], json['mayManage']]).toEqual(['ada', false])
    for (const { method, path } of MANAGING) {
      const answered = await askMe(world, key, `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`)
      expect([path, answered.status, answered.json['code']]).toEqual([path, 403, 'key_scope'])
      expect(answered.json['detail']).toContain('Send an API key without limits')
    }
    const { json: trail } = await askAdmin(world, 'GET', '/audit', { query: 'who=ada' })
    expect(trail['changes']).toEqual([])
  })

  test('a key that may issue sub-keys and has no other limit manages the account', async () => {
    const { json } = await askMe(world, await limitedKey({ mayIssueKeys: true }), 'GET /me')
    expect(json['mayManage']).toBe(true)
  })

  test('a limited key sees the calls of its own key alone', async () => {
    const body = { value: 'correct horse battery' }
    await askAdmin(world, 'PUT', '/users/ada/secrets/API_KEY', { body })
    const limited = await limitedKey({ tools: ['sg_*'] })
    await run(world, ada, 'sg_weather')
    await run(world, limited, 'sg_weather')
    const whole = (await askMe(world, ada, 'GET /me/calls')).json['calls']
    const own = (await askMe(world, limited, 'GET /me/calls')).json['calls']
    expect([whole, own].map((calls) => (Array.isArray(calls) ? calls.length : 0))).toEqual([2, 1])
    const [first] = (Array.isArray(own) ? own : []).map((call) => String(Object(call)['callId']))
    const ids = (Array.isArray(whole) ? whole : []).map((call) => String(Object(call)['callId']))
    const other = ids.find((id) => id !== first)
    expect((await askMe(world, limited, `GET /me/calls/${first}`)).status).toBe(200)
    expect((await askMe(world, limited, `GET /me/calls/${other}`)).status).toBe(404)
    expect((await askMe(world, ada, `GET /me/calls/${other}`)).status).toBe(200)
  })
})

describe('another user', () => {
  test('ids of calls, keys and logins of another user are not found', async () => {
    const body = { value: 'correct horse battery' }
    await askAdmin(world, 'PUT', '/users/ada/secrets/API_KEY', { body })
    await run(world, ada, 'sg_weather')
    const { json } = await askMe(world, ada, 'GET /me/calls')
    const [call] = Array.isArray(json['calls']) ? json['calls'] : []
    const [key] = await world.ports.keys.list('ada')
    await world.ports.logins.create({
      id: 'a'.repeat(22),
      uid: 'ada',
      username: 'ada',
      keyHash: key?.keyHash ?? '',
      keyPrefix: 'sgk_ab12',
      proof: 'p'.repeat(43),
      clientHash: 'c'.repeat(43),
      clientName: 'Test',
      clientHost: 'client.example',
      redirectUri: 'http://127.0.0.1/callback',
      challenge: 'c'.repeat(43),
      generation: 1,
      createdAtMs: world.clock.nowMs(),
      rotatedAtMs: world.clock.nowMs(),
      tokenHashes: [],
      version: 2,
    })
    const asked = [
      `GET /me/calls/${Object(call)['callId']}`,
      `PATCH /me/keys/${key?.keyHash}`,
      `DELETE /me/keys/${key?.keyHash}`,
      `DELETE /me/logins/${'a'.repeat(22)}`,
      'DELETE /me/secrets/API_KEY',
    ]
    for (const request of asked) {
      const sent = request.startsWith('PATCH') ? { body: { tools: ['sg_*'] } } : {}
      const { json: refused, status } = await askMe(world, bob, request, sent)
      expect([request, status]).toEqual([request, 404])
      expect(JSON.stringify(refused)).not.toContain('/v1/admin')
    }
    expect(await world.ports.keys.list('ada')).toHaveLength(1)
    expect((await askMe(world, ada, 'GET /me/logins')).json['logins']).toHaveLength(1)
    expect((await askMe(world, ada, 'GET /me/secrets')).json['secrets']).toHaveLength(1)
    for (const list of ['logins', 'secrets']) {
      expect((await askMe(world, bob, `GET /me/${list}`)).json[list]).toEqual([])
    }
  })

  test('no route takes a user: neither in its path nor as a parameter', async () => {
    for (const route of USER_ROUTES) {
      expect(route.path).toMatch(/^\/me(?:\/|$)/)
      expect(Object.keys({ ...route.params, ...route.query })).not.toContain('uid')
      expect(Object.keys({ ...route.params, ...route.query })).not.toContain('user')
    }
    expect((await askMe(world, bob, 'GET /me/calls?user=ada')).status).toBe(400)
    expect((await askMe(world, bob, 'GET /me/usage?user=ada')).status).toBe(400)
  })

  test('the cursor of a list of another user shows nothing of that user', async () => {
    await askMe(world, ada, 'POST /me/keys')
    const { json } = await askMe(world, ada, 'GET /me/keys?limit=1')
    const { json: page } = await askMe(world, bob, `GET /me/keys?cursor=${json['nextCursor']}`)
    const own = (await world.ports.keys.list('bob')).map(({ keyHash }) => keyHash)
    const shown = Array.isArray(page['keys']) ? page['keys'] : []
    expect(shown.every((key) => own.includes(String(Object(key)['keyId'])))).toBe(true)
  })
})
