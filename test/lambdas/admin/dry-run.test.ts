/** Dry runs over the admin API: what they tell of arguments, secrets, target and limits, and to whom. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeUpstreamPreviews } from '../../../adapters/upstream/upstream-previews.ts'
import { isIdentifier } from '../../../core/access/user-names.ts'
import { KEYS_SHOWN_MAX } from '../../../core/flow/dry-run/account-limits.ts'
import { NOBODY } from '../../../core/flow/dry-run/report-secrets.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { run } from '../../core/flow/caller.ts'
import { BEARER, setFor, setShared } from '../../core/flow/execute/calls-with-secrets.ts'
import { keyFor, makeWorld, SETTINGS, skillJson, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

let world: World
let ada: string

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 } },
  required: ['city'],
}
const OSLO = { city: 'Oslo' }

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.user('bob')
  await world.skill('sg_weather', { config: BEARER, parameters: PARAMETERS, price: 2 })
})

const dryRun = (body: Json = {}, path = 'official/sg_weather', query = '') =>
  askAdmin(world, 'POST', `/skills/${path}/dry-run`, { body, query })
const codesIn = ({ json }: { json: JsonObject }) =>
  (Array.isArray(json['problems']) ? json['problems'] : []).map((one: Json) =>
    isJsonObject(one) ? one['code'] : undefined,
  )

/** Everything that a test of writes can see. */
const state = async () => ({
  profile: await world.profile('ada'),
  ledger: await world.ports.ledger.list({ uid: 'ada', limit: 10 }),
  requests: world.upstream.requests.length,
})

describe('a dry run', () => {
  test('shows request, price, limits and the use of the answer, and does nothing', async () => {
    await setFor(world, 'ada', { API_KEY: 'a-secret-of-ada' })
    const before = await state()
    const answered = await dryRun({ uid: 'ada', arguments: OSLO })
    expect(answered.status).toBe(200)
    expect(answered.json).toMatchObject({
      skillId: 'sg_weather',
      version: 1,
      price: 2,
      uid: 'ada',
      problems: [],
      request: { method: 'GET', url: 'https://api.example/sg_weather?city=Oslo' },
      secrets: [{ name: 'API_KEY', state: 'found', from: 'user' }],
      target: {
        allowed: true,
        addresses: [{ address: '93.184.216.34', allowed: true, rule: 'is public' }],
      },
      breaker: { state: 'closed' },
      mapping: { okStatuses: ['2xx'], as: 'auto' },
      limits: { credits: 100, holds: 0, callsPerMinute: 60, keys: [{ callsLeft: 60 }] },
    })
    expect(answered.text).toContain('Bearer [secret API_KEY]')
    expect(answered.text).not.toContain('a-secret-of-ada')
    expect(await state()).toEqual(before)
    expect((await askAdmin(world, 'GET', '/audit')).json['changes']).toEqual([])
  })

  test('names the faults of the arguments in the words of a call', async () => {
    await setFor(world, 'ada', { API_KEY: 'a-secret-of-ada' })
    const bad = { city: 'O', town: 1 }
    const called = await run(world, ada, 'sg_weather', { args: bad })
    const answered = await dryRun({ uid: 'ada', arguments: bad })
    const problem = called.kind === 'problem' ? called.body : undefined
    const { code, detail, errors } = problem ?? {}
    expect(code).toBe('invalid_arguments')
    expect(answered.json['problems']).toEqual([{ code, detail, errors }])
    expect(answered.json).not.toHaveProperty('request')
    expect(answered.json).toMatchObject({ target: { origin: 'https://api.example' } })
  })

  test('names each missing secret and who sets it', async () => {
    const answered = await dryRun({ uid: 'ada', arguments: OSLO })
    const detail = expect.stringContaining('PUT /v1/admin/users/ada/secrets/API_KEY')
    expect(answered.json).toMatchObject({
      problems: [{ code: 'secret_missing', detail }],
      secrets: [{ name: 'API_KEY', state: 'missing', detail }],
      request: {
        headers: expect.arrayContaining([
          { name: 'authorization', value: 'Bearer [secret API_KEY]' },
        ]),
      },
    })
  })

  test('names the owner of each secret, in the order of calls', async () => {
    const from = async () => (await dryRun({ uid: 'ada', arguments: OSLO })).json['secrets']
    await setShared(world, 'shared-for-all', { body: { origins: ['https://api.example'] } })
    expect(await from()).toMatchObject([{ from: 'shared' }])
    await setShared(world, 'shared-for-one', { skill: 'sg_weather' })
    expect(await from()).toMatchObject([{ from: 'shared-skill' }])
    await setFor(world, 'ada', { API_KEY: 'of-ada-for-all' })
    expect(await from()).toMatchObject([{ from: 'user' }])
    await setFor(world, 'ada', { API_KEY: 'of-ada-for-one' }, 'sg_weather')
    expect(await from()).toMatchObject([{ from: 'user-skill' }])
  })

  test("names a secret that is not bound to the skill's origin", async () => {
    await setFor(world, 'ada', { API_KEY: 'of-ada-for-one' }, 'sg_weather')
    const moved = { ...BEARER, endpoint: 'https://elsewhere.example/x' }
    await world.skill('sg_weather', { config: moved, parameters: PARAMETERS })
    const answered = await dryRun({ uid: 'ada', arguments: OSLO })
    expect(answered.json).toMatchObject({
      problems: [{ code: 'secret_refused' }],
      secrets: [
        {
          state: 'refused',
          from: 'user-skill',
          detail: expect.stringContaining('may not be sent to https://elsewhere.example'),
        },
      ],
    })
  })

  test('without a user finds shared secrets alone, and no user can be nobody', async () => {
    expect(isIdentifier(NOBODY)).toBe(false)
    await setFor(world, 'ada', { API_KEY: 'a-secret-of-ada' })
    const alone = await dryRun({ arguments: OSLO })
    expect(alone.json['secrets']).toMatchObject([{ state: 'missing' }])
    expect(alone.json).not.toHaveProperty('limits')
    await setShared(world, 'shared-for-one', { skill: 'sg_weather' })
    const { secrets } = (await dryRun({ arguments: OSLO })).json
    expect(secrets).toEqual([{ name: 'API_KEY', state: 'found', from: 'shared-skill' }])
  })

  test('answers the same bytes whatever the length and the value of a secret', async () => {
    const config = { method: 'POST', body: { key: '{{secrets.API_KEY}}', city: '{{args.city}}' } }
    await world.skill('sg_weather', { config, parameters: PARAMETERS })
    const texts = []
    for (const value of ['Oslo', 'a-longer-secret'.repeat(20)]) {
      await setFor(world, 'ada', { API_KEY: value })
      texts.push((await dryRun({ uid: 'ada', arguments: OSLO })).text)
    }
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toContain('{\\"key\\":\\"[secret API_KEY]\\",\\"city\\":\\"Oslo\\"}')
    expect(texts[0]).toContain('[length with secrets]')
  })

  test.each([
    [
      'disabled',
      'user_disabled',
      () => askAdmin(world, 'PATCH', '/users/ada', { body: { state: 'disabled', reason: 'left' } }),
    ],
    [
      'without credits',
      'insufficient_credits',
      () =>
        askAdmin(world, 'POST', '/users/ada/credits', {
          body: { grantId: 'g', amount: -99, reason: 'x' },
        }),
    ],
    [
      'at the budget',
      'budget_reached',
      () => askAdmin(world, 'PATCH', '/users/ada', { body: { monthlyBudget: 1 } }),
    ],
  ])('tells that the user is %s', async (_what, code, prepare) => {
    await setShared(world, 'shared-for-one', { skill: 'sg_weather' })
    expect((await prepare()).status).toBe(200)
    expect(codesIn(await dryRun({ uid: 'ada', arguments: OSLO }))).toEqual([code])
  })

  test('tells that the skill is of a group that the user is not in', async () => {
    await world.skill('sg_weather', { groups: ['staff'] })
    expect(codesIn(await dryRun({ uid: 'ada' }))).toEqual(['unknown_skill'])
    await askAdmin(world, 'PATCH', '/users/ada', { body: { groups: ['staff'] } })
    expect(codesIn(await dryRun({ uid: 'ada' }))).toEqual([])
  })

  test('shows the request of a disabled skill, which calls refuse', async () => {
    await world.skill('sg_weather')
    const body = { state: 'disabled', reason: 'Back on Monday.' }
    await askAdmin(world, 'PATCH', '/skills/official/sg_weather', { body })
    const answered = await dryRun({ uid: 'ada' })
    expect(codesIn(answered)).toEqual(['forbidden'])
    expect(answered.json).toHaveProperty('request')
  })

  test('shows the calls that each key has left, without taking one', async () => {
    await world.skill('sg_weather')
    for (let call = 0; call < 3; call += 1) await run(world, ada, 'sg_weather')
    const left = async () => (await dryRun({ uid: 'ada' })).json['limits']
    expect(await left()).toMatchObject({ keys: [{ callsLeft: 57 }] })
    expect(await left()).toMatchObject({ keys: [{ callsLeft: 57 }] })
  })

  test('shows as many keys as its limit, and not one more', async () => {
    await world.skill('sg_weather')
    for (let key = 1; key < KEYS_SHOWN_MAX + 1; key += 1) await keyFor(world, 'ada')
    const { limits } = (await dryRun({ uid: 'ada' })).json
    expect(isJsonObject(limits) && limits['keys']).toHaveLength(KEYS_SHOWN_MAX)
  })

  test('shows the state of the breaker that a call would meet', async () => {
    await world.skill('sg_weather')
    world.upstream.always({ kind: 'unreachable' })
    for (let call = 0; call < 10; call += 1) await run(world, ada, 'sg_weather')
    const open = { state: 'open', of: 'reach', retryAfterSec: 15 }
    expect((await dryRun({ uid: 'bob' })).json['breaker']).toEqual(open)
    await world.clock.advance(15_000)
    expect((await dryRun({ uid: 'bob' })).json['breaker']).toEqual({
      state: 'half-open',
      of: 'reach',
    })
    // A dry run does not use up the probe.
    world.upstream.always({ kind: 'answer' })
    expect((await run(world, ada, 'sg_weather')).kind).toBe('success')
  })
})

describe('a private skill', () => {
  beforeEach(() => world.skill('sg_mine', { source: 'private', uid: 'ada', config: BEARER }))

  test('is run as its owner alone', async () => {
    await setFor(world, 'ada', { API_KEY: 'a-secret-of-ada' })
    await setFor(world, 'bob', { API_KEY: 'a-secret-of-bob' })
    const own = await dryRun({}, 'private/sg_mine', 'uid=ada')
    expect(own.json).toMatchObject({ uid: 'ada', problems: [], secrets: [{ from: 'user' }] })
    const other = await dryRun({ uid: 'bob' }, 'private/sg_mine', 'uid=ada')
    expect([other.status, other.json['code']]).toEqual([400, 'malformed'])
  })

  test('is not found as another user’s', async () => {
    expect((await dryRun({}, 'private/sg_mine', 'uid=bob')).status).toBe(404)
    expect((await dryRun({}, 'private/sg_mine')).status).toBe(400)
  })
})

describe('a skill that is not stored', () => {
  const sent = (body: JsonObject) => askAdmin(world, 'POST', '/skills:dry-run', { body })

  test('a sent skill is judged as a sync judges it, run dry, and not stored', async () => {
    const skill = skillJson('sg_new', { config: BEARER, price: 3 })
    await setFor(world, 'ada', { API_KEY: 'a-secret-of-ada' })
    const answered = await sent({ skill, uid: 'ada', arguments: { a: 1 } })
    expect(answered.json).toMatchObject({
      price: 3,
      problems: [],
      request: { url: 'https://api.example/sg_new?a=1' },
      secrets: [{ from: 'user' }],
    })
    expect(answered.json).not.toHaveProperty('version')
    expect((await askAdmin(world, 'GET', '/skills/official/sg_new')).status).toBe(404)
    const bad = { ...skill, credits_per_call: -1 }
    const refused = await sent({ skill: bad })
    const synced = await askAdmin(world, 'POST', '/sync_skill', { body: bad })
    expect([refused.status, refused.json['errors']]).toEqual([422, synced.json['errors']])
  })

  test('a sent skill takes no secret to an origin that it was not set for', async () => {
    await setFor(world, 'ada', { API_KEY: 'of-ada-for-one' }, 'sg_weather')
    const config = { ...BEARER, endpoint: 'https://attacker.example/collect' }
    const skill = skillJson('sg_weather', { config })
    expect(codesIn(await sent({ skill, uid: 'ada' }))).toEqual(['secret_refused'])
  })

  test('a sent private skill needs its owner', async () => {
    const skill = skillJson('sg_new', { source: 'private' })
    expect((await sent({ skill })).status).toBe(400)
    expect((await sent({ skill, uid: 'ada' })).json).toMatchObject({
      uid: 'ada',
      source: 'private',
    })
    expect((await sent({ skill, uid: 'nobody' })).status).toBe(404)
  })
})

test('a name that leads to a private address is told with the rule that refuses it', async () => {
  const found = [
    { address: '10.0.0.7', family: 4 },
    { address: '93.184.216.34', family: 4 },
  ]
  world.ports.upstreamPreviews = makeUpstreamPreviews({
    ...SETTINGS,
    resolve: (_host, done) => done(null, found),
  })
  await world.skill('sg_weather')
  expect((await dryRun({ uid: 'ada' })).json).toMatchObject({
    problems: [{ code: 'upstream_failed' }],
    target: {
      allowed: false,
      rule: expect.stringContaining('not public'),
      addresses: [
        { address: '10.0.0.7', allowed: false, rule: 'is not public: its range is private' },
        { address: '93.184.216.34', allowed: true },
      ],
    },
  })
})
