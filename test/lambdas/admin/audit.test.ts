/** What the admin API records of each change, and what it does when a record cannot be written. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeFixedAdminSecrets } from '../../../adapters/secrets/given-admin-secrets.ts'
import { AUDIT_PAGE_MAX } from '../../../core/audit/limits.ts'
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { toUtcDay } from '../../../core/json/utc-time.ts'
import type { AuditTrail } from '../../../core/ports/users.ts'
import { ROUTES } from '../../../lambdas/admin/routes.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { type AdminCall, askAdmin } from './admin-client.ts'

const DAY_MS = 86_400_000
const CHANGING = ROUTES.filter(({ method }) => method !== 'GET')
const DAY = toUtcDay(START_MS)

let world: World
beforeEach(() => {
  world = makeWorld()
})

const ask = (method: string, path: string, sent: AdminCall = {}) =>
  askAdmin(world, method, path, sent)

async function changes(query = ''): Promise<readonly JsonObject[]> {
  const { json } = await ask('GET', '/audit', { query })
  const list: readonly Json[] = Array.isArray(json['changes']) ? json['changes'] : []
  return list.filter(isJsonObject)
}

async function last(query = ''): Promise<JsonObject> {
  const [first] = await changes(query)
  if (first === undefined) throw new Error('nothing was recorded')
  return first
}

async function verified(day = DAY): Promise<JsonObject> {
  return (await ask('GET', '/audit/verify', { query: `day=${day}` })).json
}

async function makeAda(): Promise<void> {
  const body = { username: 'Ada', uid: 'ada', credits: 25 }
  expect((await ask('POST', '/users', { body })).status).toBe(201)
}

/** Up to 20 pages of the list, by their cursors. */
async function pagesOf(limit: number, cursor = '', left = 20): Promise<readonly JsonObject[][]> {
  const { json } = await ask('GET', '/audit', { query: `limit=${limit}${cursor}` })
  const list: readonly Json[] = Array.isArray(json['changes']) ? json['changes'] : []
  const page = list.filter(isJsonObject)
  const { nextCursor } = json
  if (nextCursor === undefined || left === 0) return [page]
  return [page, ...(await pagesOf(limit, `&cursor=${String(nextCursor)}`, left - 1))]
}

/** The trail whose nth append from now on fails; 0: none. */
function failingAppend(nth: number): void {
  const trail: AuditTrail = world.ports.auditTrail
  let appended = 0
  world.ports.auditTrail = {
    ...trail,
    append: async (record) => {
      appended += 1
      if (appended === nth) throw new Fault('store_unavailable', 'did not answer')
      return trail.append(record)
    },
  }
}

describe('a change', () => {
  test('has one record: who, when, what, from where, and how it ended', async () => {
    await makeAda()
    const { json } = await ask('POST', '/keys', { body: { name: 'grace', role: 'operator' } })
    await world.clock.advance(1_000)
    const headers = { 'x-admin-key': String(json['key']) }
    const body = { tier: 'pro' }
    await ask('PATCH', '/users/ada', { body, headers, sourceIp: '192.0.2.7' })
    expect(await last()).toEqual({
      id: `${DAY}/5`,
      atMs: START_MS + 1_000,
      who: { name: 'grace', role: 'operator', keyId: json['keyId'] },
      operation: 'patchUser',
      method: 'PATCH',
      route: '/users/{uid}',
      target: { uid: 'ada' },
      sent: { tier: expect.any(String) },
      before: expect.any(Object),
      after: expect.any(Object),
      digestKey: expect.stringMatching(/^[A-Za-z0-9_-]{8}$/),
      requestId: 'r',
      sourceAddress: '192.0.2.7',
      outcome: 'done',
      status: 200,
      endedAtMs: START_MS + 1_000,
      hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    })
  })

  test('shows by digests which fields it changed, and to what was sent', async () => {
    await makeAda()
    await ask('PATCH', '/users/ada', { body: { tier: 'pro' } })
    const { after, before, sent } = await last()
    const [old, now, asked] = [before, after, sent].map((one) => Object(one))
    expect(Object.keys(old).sort()).toEqual(Object.keys(now).sort())
    const changed = Object.keys(now).filter((field) => now[field] !== old[field])
    expect(changed).toEqual(['tier'])
    expect(now.tier).toBe(asked.tier)
  })

  test('by a grant has the credits before and after', async () => {
    await makeAda()
    await ask('POST', '/users/ada/credits', { body: { grantId: 'november', amount: 10 } })
    const { after, before, target } = await last()
    expect(target).toEqual({ uid: 'ada', grantId: 'november' })
    const fields = Object.keys(Object(after))
    expect(fields.filter((field) => Object(after)[field] !== Object(before)[field])).toEqual([
      'credits',
    ])
  })

  test('of a skill, a secret and a key names them, and what stood before', async () => {
    await makeAda()
    await world.skill('sg_weather')
    const key = await ask('POST', '/users/ada/keys')
    expect((await last())['target']).toEqual({ uid: 'ada', keyId: key.json['keyId'] })
    await ask('DELETE', `/users/ada/keys/${String(key.json['keyId'])}`)
    expect(await last()).toMatchObject({ before: { keyPrefix: expect.any(String) }, status: 204 })
    const body = { value: 'correct horse battery staple' }
    await ask('PUT', '/users/ada/secrets/API_KEY', { body })
    expect((await last())['before']).toBeUndefined()
    await ask('PUT', '/users/ada/secrets/API_KEY', { body })
    expect(await last()).toMatchObject({
      target: { uid: 'ada', name: 'API_KEY' },
      sent: { value: 'withheld' },
      before: { updatedAtMs: expect.any(String) },
    })
    await ask('DELETE', '/skills/official/sg_weather')
    expect(await last()).toMatchObject({
      target: { source: 'official', skillId: 'sg_weather' },
      before: { skill: expect.any(String), version: expect.any(String) },
    })
  })

  test('of a skill that is synced over another has that one before', async () => {
    const skill = (description: string) => ({
      id: 'sg_weather',
      meta: { name: 'Weather', description, parameters: { type: 'object' } },
      config: { endpoint: 'https://api.example/weather' },
      credits_per_call: 1,
    })
    const sync = (body: Json) => ask('POST', '/sync_skill', { body, query: 'source=official' })
    await sync(skill('One.'))
    expect((await last())['before']).toBeUndefined()
    await sync(skill('Two.'))
    const { after, before, target } = await last()
    expect(target).toMatchObject({ skillId: 'sg_weather' })
    expect(Object(before).skill).not.toBe(Object(after).skill)
    await sync(skill('Two.'))
    const again = await last()
    expect(Object(again['before']).skill).toBe(Object(again['after']).skill)
  })

  test('that is refused is recorded with its status', async () => {
    await ask('PATCH', '/users/nobody', { body: { tier: 'pro' } })
    expect(await last()).toMatchObject({
      outcome: 'refused',
      status: 404,
      target: { uid: 'nobody' },
    })
    expect(await last()).not.toHaveProperty('after')
  })

  test('that a fault ended is recorded with its status', async () => {
    await makeAda()
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.profiles = { ...world.ports.profiles, change: down }
    expect((await ask('PATCH', '/users/ada', { body: { tier: 'pro' } })).status).toBe(503)
    expect(await last()).toMatchObject({ outcome: 'failed', status: 503 })
  })

  test('that only reads, or is judged before it begins, leaves no record', async () => {
    await ask('GET', '/skills')
    await ask('POST', '/users', { body: { nme: 'Ada' } })
    await ask('POST', '/users', { headers: {} })
    expect(await changes()).toEqual([])
  })

  test('an import names its prefix, by which the trail finds it', async () => {
    const document = { openapi: '3.1.0', servers: [{ url: 'https://pets.example' }], paths: {} }
    await ask('POST', '/imports/openapi:apply', { body: { prefix: 'pets', document } })
    expect(await last('target=pets')).toMatchObject({
      operation: 'applyImport',
      target: { prefix: 'pets' },
    })
  })

  test('leaves nothing of what was sent in the trail, but ids', async () => {
    const secret = 'correct horse battery staple'
    const body = {
      username: 'Countess Lovelace',
      uid: 'ada',
      credits: 123.456789,
      tier: 'gold-plus',
    }
    await ask('POST', '/users', { body })
    await ask('PUT', '/users/ada/secrets/API_KEY', { body: { value: secret } })
    const key = await ask('POST', '/users/ada/keys')
    const made = await ask('POST', '/keys', { body: { name: 'grace', role: 'publisher' } })
    const stored = (await world.ports.auditTrail.day(DAY)).map(({ text }) => text).join('\n')
    expect(stored).toContain('"uid":"ada"')
    const values = ['Countess', '123.45', 'gold-plus', secret, key.json['key'], made.json['key']]
    for (const value of values) expect(stored).not.toContain(String(value))
    expect(stored).not.toContain('publisher')
  })
})

describe('a change without an intent', () => {
  test('no change is made without an intent, and the answer says to try again', async () => {
    await makeAda()
    failingAppend(1)
    const answered = await ask('PATCH', '/users/ada', { body: { tier: 'pro' } })
    expect([answered.status, answered.headers['retry-after']]).toEqual([503, '1'])
    expect((await ask('GET', '/users/ada')).json).toMatchObject({ tier: 'free' })
  })

  test.each(CHANGING.filter(({ access }) => access === 'either'))(
    'the route $method $path does not begin without an intent',
    async ({ body, method, operationId, path, query = {} }) => {
      failingAppend(1)
      const asked: string[] = []
      for (const name of [
        'profiles',
        'ledger',
        'logins',
        'secrets',
        'adminKeys',
        'skills',
      ] as const) {
        const port: object = world.ports[name]
        const methods = Object.entries(port).map(([one, work]) => [
          one,
          (...given: readonly unknown[]) => {
            if (!/^(read|find|list|get)$/.test(one)) asked.push(`${name}.${one}`)
            return Reflect.apply(work, port, given)
          },
        ])
        Object.assign(world.ports, { [name]: Object.fromEntries(methods) })
      }
      const ids = path.replace('{keyId}', 'k'.repeat(43)).replace('{loginId}', 'l'.repeat(22))
      const at = ids.replace('{source}', 'official')
      const sent = at.replace('{name}', 'API_KEY').replaceAll(/\{\w+\}/g, 'x')
      const example = body?.kind === 'json' ? body.example : '{}'
      const { status } = await ask(method, sent, {
        ...(body === undefined ? {} : { body: example }),
        // Some routes are recorded for some queries alone.
        query: 'send' in query ? 'send=true' : 'source' in query ? 'source=official' : '',
      })
      expect([operationId, status, asked]).toEqual([operationId, 503, []])
    },
  )
})

describe('a change without an outcome', () => {
  test('stays, its answer is sent, and the list does not know how it ended', async () => {
    await makeAda()
    failingAppend(2)
    const answered = await ask('POST', '/users/ada/keys')
    expect([answered.status, answered.json['key']]).toEqual([201, expect.stringMatching(/^sgk_/)])
    const change = await last()
    expect(change).toMatchObject({ operation: 'issueKey', outcome: 'unknown' })
    expect(change).not.toHaveProperty('status')
    expect(world.log.notes.at(-2)).toMatchObject({
      level: 'error',
      event: 'audit-unfinished',
      fields: { day: DAY, seq: 3, status: 201 },
    })
    expect(await verified()).toMatchObject({ isWhole: true, records: 3 })
  })
})

describe('the list of changes', () => {
  async function threeDays(): Promise<void> {
    for (let day = 0; day < 3; day += 1) {
      for (let n = 0; n < 3; n += 1) {
        const body = { username: `u${day}${n}`, uid: `u${day}${n}` }
        await ask('POST', '/users', { body })
        await world.clock.advance(60_000)
      }
      await world.clock.advance(DAY_MS)
    }
  }
  const uids = (all: readonly JsonObject[]) => all.map((one) => Object(one['target']).uid)
  const NEWEST_FIRST = ['u22', 'u21', 'u20', 'u12', 'u11', 'u10', 'u02', 'u01', 'u00']

  test('the list is newest first over days, and pages of any length join to it', async () => {
    await threeDays()
    expect(uids(await changes())).toEqual(NEWEST_FIRST)
    for (const limit of [1, 2, 4, 9, 200]) {
      const pages = await pagesOf(limit)
      expect(pages.every((page) => page.length <= limit)).toBe(true)
      expect(uids(pages.flat())).toEqual(NEWEST_FIRST)
      expect(pages.flat().every(({ outcome }) => outcome === 'done')).toBe(true)
    }
  })

  test('the list is bounded by since and until, to the millisecond', async () => {
    await threeDays()
    const second = new Date(START_MS + 60_000).toISOString()
    const third = new Date(START_MS + 120_000).toISOString()
    expect(uids(await changes(`since=${second}&until=${third}`))).toEqual(['u01'])
    expect(uids(await changes(`until=${second}`))).toEqual(['u00'])
    expect(uids(await changes(`since=${toUtcDay(START_MS + 2 * DAY_MS)}`))).toEqual([
      'u22',
      'u21',
      'u20',
    ])
  })

  test('the list is filtered by administrator, operation and target', async () => {
    await threeDays()
    const { json } = await ask('POST', '/keys', { body: { name: 'grace', role: 'operator' } })
    const headers = { 'x-admin-key': String(json['key']) }
    await ask('PATCH', '/users/u11', { body: { tier: 'pro' }, headers })
    const operations = async (query: string) =>
      (await changes(query)).map(({ operation }) => operation)
    expect(await operations('who=grace')).toEqual(['patchUser'])
    expect(await operations(`who=${String(json['keyId'])}`)).toEqual(['patchUser'])
    expect(await operations('target=u11')).toEqual(['patchUser', 'createUser'])
    expect(await operations('operation=createAdminKey')).toEqual(['createAdminKey'])
    expect(await operations('target=u11&operation=createUser&who=grace')).toEqual([])
  })

  test('the list takes 200 changes a page and not 201', async () => {
    expect((await ask('GET', '/audit', { query: `limit=${AUDIT_PAGE_MAX}` })).status).toBe(200)
    expect((await ask('GET', '/audit', { query: 'limit=201' })).status).toBe(400)
  })

  test.each(['since=2026-02-30', 'until=yesterday', 'cursor=abc', 'limit=0', 'who='])(
    'the list refuses %s',
    async (query) => {
      const { json, status } = await ask('GET', '/audit', { query })
      expect([status, json['code']]).toEqual([400, 'malformed'])
    },
  )

  test('the list reads 31 days for one request, and goes on behind its cursor', async () => {
    await makeAda()
    await world.clock.advance(40 * DAY_MS)
    const { json } = await ask('GET', '/audit')
    expect([json['changes'], json['nextCursor']]).toEqual([[], expect.any(String)])
    const { json: rest } = await ask('GET', '/audit', {
      query: `cursor=${String(json['nextCursor'])}`,
    })
    expect(rest['changes']).toMatchObject([{ operation: 'createUser' }])
  })

  test('the list has a change for 400 days and not for longer', async () => {
    await makeAda()
    const since = `since=${DAY}&until=${toUtcDay(START_MS + DAY_MS)}`
    await world.clock.advance(400 * DAY_MS)
    expect(await changes(since)).toHaveLength(1)
    await world.clock.advance(DAY_MS)
    expect(await changes(since)).toEqual([])
  })
})

describe('digests of fields', () => {
  test('digests are of another key after the internal secret was rotated, and say so', async () => {
    await makeAda()
    await ask('PATCH', '/users/ada', { body: { tier: 'pro' } })
    const before = await last()
    world.ports.adminSecrets = makeFixedAdminSecrets({
      internalApiSecrets: ['internal-secret-2', 'internal-secret'],
      adminKeys: ['admin-key'],
    })
    await ask('PATCH', '/users/ada', { body: { tier: 'pro' } })
    const after = await last()
    expect(after['digestKey']).not.toBe(before['digestKey'])
    expect(Object(after['sent']).tier).not.toBe(Object(before['sent']).tier)
  })
})
