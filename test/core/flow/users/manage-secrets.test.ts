import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { deleteSecret, listSecrets, setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import type { Json } from '../../../../core/json/json.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const ALL = { limit: undefined, cursor: undefined }
const CURSOR_RULE =
  'must be the nextCursor of an earlier answer to the same request, unchanged; leave it out to start at the beginning'
const VALUE = 'correct horse battery staple'
const LONG_ID = `sg_${'💾'.repeat(197)}`
const WEATHER = {
  skillId: 'sg_weather',
  tier: 'official',
  origins: ['https://api.example'],
} as const

async function worldOf(...uids: readonly string[]): Promise<World> {
  const world = makeWorld()
  for (const uid of uids) await world.user(uid)
  return world
}

type Place = { readonly skill?: string | undefined; readonly uid?: string }

function set(
  world: World,
  name: string,
  body: Json = { value: VALUE },
  { skill, uid = 'ada' }: Place = {},
) {
  return setSecret(world.ports, world.settings, { uid, name, skill }, body)
}

function remove(world: World, name: string, skill?: string, uid = 'ada') {
  return deleteSecret(world.ports, world.settings, { uid, name, skill })
}

describe('setting a secret', () => {
  test('answers its name and date, and the store holds no part of it', async () => {
    const world = await worldOf('ada')
    expect(okOf(await set(world, 'API_KEY'))).toEqual({
      name: 'API_KEY',
      origins: [],
      updatedAtMs: START_MS,
    })
    const [stored] = await world.ports.secrets.find({
      uid: 'ada',
      skillId: 'sg_a',
      names: ['API_KEY'],
    })
    expect(stored?.sealed.length).toBeGreaterThan(VALUE.length)
    expect(Buffer.from(stored?.sealed ?? []).toString('latin1')).not.toContain('horse')
  })

  test("for a skill takes the skill's id with or without the prefix", async () => {
    const world = await worldOf('ada')
    await world.skill('sg_weather')
    const own = { name: 'KEY', ...WEATHER, updatedAtMs: START_MS }
    expect(okOf(await set(world, 'KEY', { value: VALUE }, { skill: 'sg_weather' }))).toEqual(own)
    expect(okOf(await set(world, 'KEY', { value: VALUE }, { skill: 'weather' }))).toEqual(own)
    expect(okOf(await listSecrets(world.ports, 'ada', ALL)).secrets).toEqual([own])
  })

  test('a second time replaces it, with a new date', async () => {
    const world = await worldOf('ada')
    await set(world, 'KEY')
    world.clock.jump(5_000)
    expect(okOf(await set(world, 'KEY', { value: 'another' }))).toEqual({
      name: 'KEY',
      origins: [],
      updatedAtMs: START_MS + 5_000,
    })
    expect(okOf(await listSecrets(world.ports, 'ada', ALL)).secrets).toHaveLength(1)
  })

  test.each([
    ['api_key', undefined, 'name: must be 1 to 64 characters of A-Z, 0-9 and _, a letter first.'],
    [
      'A'.repeat(65),
      undefined,
      'name: must be 1 to 64 characters of A-Z, 0-9 and _, a letter first.',
    ],
    ['KEY', '', '/query/skill: has nothing after the prefix; add a name'],
    ['KEY', 'a/b', '/query/skill: holds "#", "/" or white space; use letters, digits, _ and -'],
    ['KEY', `sg_${'x'.repeat(198)}`, '/query/skill: has over 200 characters; shorten it to 200'],
  ])('named %s for the skill %j is refused', async (name, skill, detail) => {
    const world = await worldOf('ada')
    const refusal = refusalOf(await set(world, name, { value: VALUE }, { skill }))
    expect(refusal).toMatchObject({ code: 'malformed', detail })
    expect(refusalOf(await remove(world, name, skill))).toEqual(refusal)
  })

  test.each<[Json, string, string]>([
    ['text', 'malformed', 'body: must be a JSON object.'],
    [
      {},
      'invalid_arguments',
      '/value: must be a string of 4 characters or more, up to 4096 bytes of UTF-8',
    ],
    [
      { value: 'hor' },
      'invalid_arguments',
      '/value: must be a string of 4 characters or more, up to 4096 bytes of UTF-8',
    ],
    [
      { value: VALUE, valeu: 'horse' },
      'invalid_arguments',
      '/valeu: is not a field of this request; it takes value, origins, marketSkills',
    ],
  ])(
    'with the body %j is refused, and the refusal repeats no part of it',
    async (body, code, detail) => {
      const world = await worldOf('ada')
      const refusal = refusalOf(await set(world, 'KEY', body))
      expect([refusal.code, refusal.detail]).toEqual([code, detail])
      expect(JSON.stringify(refusal)).not.toContain('hor')
      expect(await world.ports.secrets.list('ada')).toEqual([])
    },
  )

  test('of an unknown user is refused before anything is sealed', async () => {
    const world = await worldOf('ada')
    world.ports.secretSeals = {
      ...world.ports.secretSeals,
      seal: () => Promise.reject(new Error('sealed')),
    }
    expect(refusalOf(await set(world, 'KEY', { value: VALUE }, { uid: 'eve' })).code).toBe(
      'not_found',
    )
  })

  test('is refused past 64 for all skills, and past 64 for one skill', async () => {
    const world = await worldOf('ada')
    for (let n = 0; n < 64; n += 1) okOf(await set(world, `N${n}`))
    expect(refusalOf(await set(world, 'LAST'))).toEqual({
      code: 'conflict',
      detail: 'name: this user has 64 secrets for all skills, the most allowed. Delete one first.',
    })
    okOf(await set(world, 'N0'))
    await world.skill('sg_weather')
    okOf(await set(world, 'LAST', { value: VALUE }, { skill: 'weather' }))
  })

  test.each([
    ['denied', 'internal', undefined],
    ['unavailable', 'store_unavailable', 1],
  ] as const)(
    'with a key that is %s stores nothing and says so',
    async (why, code, retryAfterSec) => {
      const world = await worldOf('ada')
      const cause = new Error('what the key said')
      const seal = async () => ({ ok: false, error: { why, cause } }) as const
      world.ports.secretSeals = { ...world.ports.secretSeals, seal }
      const refusal = refusalOf(await set(world, 'KEY'))
      expect([refusal.code, refusal.retryAfterSec]).toEqual([code, retryAfterSec])
      expect(refusal.detail).toContain('Nothing was stored')
      expect(await world.ports.secrets.list('ada')).toEqual([])
      expect(world.log.notes).toEqual([
        {
          level: 'error',
          event: 'secret-not-sealed',
          fields: { uid: 'ada', skillId: undefined, why },
          cause,
        },
      ])
      expect(JSON.stringify(world.log.notes)).not.toContain('horse')
    },
  )

  test('with a store that does not answer is a fault of the door', async () => {
    const world = await worldOf('ada')
    const cause = new Fault('store_unavailable', 'no answer')
    world.ports.secrets = { ...world.ports.secrets, put: () => Promise.reject(cause) }
    await expect(set(world, 'KEY')).rejects.toBe(cause)
  })
})

describe('listing secrets', () => {
  test('shows names and dates, global ones first, and never a value', async () => {
    const world = await worldOf('ada', 'bob')
    await world.skill('sg_weather')
    await set(world, 'B', { value: VALUE }, { skill: 'weather' })
    await set(world, 'B')
    await set(world, 'A')
    await set(world, 'KEY', { value: VALUE }, { uid: 'bob' })
    const listed = okOf(await listSecrets(world.ports, 'ada', ALL))
    expect(listed).toEqual({
      secrets: [
        { name: 'A', origins: [], updatedAtMs: START_MS },
        { name: 'B', origins: [], updatedAtMs: START_MS },
        { name: 'B', ...WEATHER, updatedAtMs: START_MS },
      ],
    })
  })

  test('goes page by page, also after one that was deleted between two pages', async () => {
    const world = await worldOf('ada')
    const places = [
      ['A', undefined],
      ['B', undefined],
      ['A', 'sg_a'],
      ['A', LONG_ID],
      ['Z', LONG_ID],
    ] as const
    await world.skill('sg_a')
    const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_a' })
    if (record === undefined) throw new Error('it was not stored')
    const definition = { ...record.definition, source: 'private' }
    const of = { source: 'private', uid: 'ada', skillId: LONG_ID } as const
    const long = { ...record, ...of, definition }
    expect(await world.ports.skills.put(long, 0)).toBe(true)
    for (const [name, skill] of places) okOf(await set(world, name, { value: VALUE }, { skill }))
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = okOf(await listSecrets(world.ports, 'ada', { limit: '1', cursor }))
      for (const { name, skillId } of page.secrets) {
        names.push(`${skillId ?? '-'} ${name}`)
        await remove(world, name, skillId)
      }
      cursor = page.nextCursor
    } while (cursor !== undefined && names.length < 10)
    expect(names).toEqual(places.map(([name, skill]) => `${skill ?? '-'} ${name}`))
  })

  test('shows 100 in a page at most', async () => {
    const world = await worldOf('ada')
    for (const skill of ['sg_a', 'sg_b']) {
      await world.skill(skill)
      for (let n = 0; n < 51; n += 1) await set(world, `N${n}`, { value: VALUE }, { skill })
    }
    const first = okOf(await listSecrets(world.ports, 'ada', ALL))
    expect(first.secrets).toHaveLength(100)
    const rest = okOf(
      await listSecrets(world.ports, 'ada', { limit: '100', cursor: first.nextCursor }),
    )
    expect([rest.secrets.length, rest.nextCursor]).toEqual([2, undefined])
    const more = refusalOf(await listSecrets(world.ports, 'ada', { ...ALL, limit: '101' }))
    expect(more.detail).toBe('limit: must be a whole number from 1 to 100.')
  })

  test.each(['x', btoa('1:KEY'), btoa('1:key:'), btoa('1:KEY:%'), btoa('1:KEY:%ff')])(
    'with the cursor %s is refused',
    async (cursor) => {
      const world = await worldOf('ada')
      const refusal = refusalOf(
        await listSecrets(world.ports, 'ada', {
          limit: undefined,
          cursor: cursor.replaceAll('=', ''),
        }),
      )
      expect(refusal).toEqual({
        code: 'malformed',
        detail: `/query/cursor: ${CURSOR_RULE}`,
        faults: [
          {
            pointer: '/query/cursor',
            message: CURSOR_RULE,
          },
        ],
      })
    },
  )

  test('of an unknown user is refused', async () => {
    const world = await worldOf('ada')
    expect(refusalOf(await listSecrets(world.ports, 'eve', ALL)).code).toBe('not_found')
  })
})

describe('deleting a secret', () => {
  test('removes the one with that name and skill, once', async () => {
    const world = await worldOf('ada')
    await world.skill('sg_weather')
    await set(world, 'KEY')
    await set(world, 'KEY', { value: VALUE }, { skill: 'weather' })
    expect(okOf(await remove(world, 'KEY', 'weather'))).toBeUndefined()
    expect(okOf(await listSecrets(world.ports, 'ada', ALL)).secrets).toEqual([
      { name: 'KEY', origins: [], updatedAtMs: START_MS },
    ])
    expect(refusalOf(await remove(world, 'KEY', 'weather'))).toEqual({
      code: 'not_found',
      detail:
        'name: this user has no such secret. One of a skill is found with the id of the skill.',
      remedy: { code: 'list_secrets', uid: 'ada' },
    })
  })

  test.each(['bob', 'eve'])('of %s leaves those of ada', async (uid) => {
    const world = await worldOf('ada', 'bob')
    await set(world, 'KEY')
    expect(refusalOf(await remove(world, 'KEY', undefined, uid)).code).toBe('not_found')
    expect(await world.ports.secrets.list('ada')).toHaveLength(1)
  })

  test.each(['', 'a/da', 'x'.repeat(5_000)])('a malformed user id asks no store', async (uid) => {
    const world = await worldOf('ada')
    const asked = () => Promise.reject(new Error('asked'))
    world.ports.secrets = { ...world.ports.secrets, remove: asked }
    expect(refusalOf(await remove(world, 'KEY', undefined, uid)).code).toBe('not_found')
  })
})
