import { describe, expect, test } from 'vitest'
import { makeRawSecretSeals } from '../../../../adapters/kms/raw-seals.ts'
import { Fault } from '../../../../core/errors.ts'
import { loadSecrets } from '../../../../core/flow/execute/load-secrets.ts'
import { setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import type { SealFailure, StoredSecret } from '../../../../core/secrets/secret.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

/** Sets secrets as an administrator: `{ KEY: 'value' }`. */
async function set(
  world: World,
  uid: string,
  values: { readonly [name: string]: string },
  skill?: string,
) {
  for (const [name, value] of Object.entries(values)) {
    okOf(await setSecret(world.ports, world.settings, { uid, name, skill }, { value }))
  }
}

async function worldOf(...uids: readonly string[]): Promise<World> {
  const world = makeWorld()
  for (const uid of uids) await world.user(uid)
  await world.skill('sg_weather')
  return world
}

const WANTED = {
  uid: 'ada',
  skillId: 'sg_weather',
  source: 'official',
  origins: ['https://api.example'],
  names: ['KEY'],
} as const

describe('the secrets that a call loads', () => {
  test('are in the clear, by name', async () => {
    const world = await worldOf('ada')
    await set(world, 'ada', { KEY: 'ada-key', TOKEN: 'ada-token', OTHER: 'not asked' })
    const loaded = await loadSecrets(world.ports, { ...WANTED, names: ['TOKEN', 'KEY'] })
    expect([...okOf(loaded).values]).toEqual([
      ['TOKEN', 'ada-token'],
      ['KEY', 'ada-key'],
    ])
  })

  test("are the skill's own before the global ones, read again by each call", async () => {
    const world = await worldOf('ada')
    await set(world, 'ada', { KEY: 'for-all-skills' })
    expect(okOf(await loadSecrets(world.ports, WANTED)).values.get('KEY')).toBe('for-all-skills')
    await set(world, 'ada', { KEY: 'for-weather' }, 'sg_weather')
    expect(okOf(await loadSecrets(world.ports, WANTED)).values.get('KEY')).toBe('for-weather')
    const elsewhere = { ...WANTED, skillId: 'sg_other' }
    expect(okOf(await loadSecrets(world.ports, elsewhere)).values.get('KEY')).toBe('for-all-skills')
  })

  test('are none for a skill that names none, without a read or a use of the key', async () => {
    const world = await worldOf('ada')
    world.ports.secrets = { ...world.ports.secrets, find: () => Promise.reject(new Error('read')) }
    world.ports.secretSeals = makeRawSecretSeals(() => {
      throw new Error('asked for the key')
    })
    expect(okOf(await loadSecrets(world.ports, { ...WANTED, names: [] })).values.size).toBe(0)
  })

  test("are those of the user alone: another user's record is not even read", async () => {
    const world = await worldOf('ada', 'bob')
    await set(world, 'bob', { KEY: 'bob-key' })
    await set(world, 'bob', { KEY: 'bob-weather' }, 'sg_weather')
    const asked: string[] = []
    const { secrets } = world.ports
    world.ports.secrets = {
      ...secrets,
      find: (of) => {
        asked.push(of.uid)
        return secrets.find(of)
      },
    }
    const refusal = refusalOf(await loadSecrets(world.ports, WANTED))
    expect(refusal.code).toBe('secret_missing')
    expect(JSON.stringify(refusal)).not.toMatch(/bob/)
    expect(asked).toEqual(['ada'])
    expect(okOf(await loadSecrets(world.ports, { ...WANTED, uid: 'bob' })).values.get('KEY')).toBe(
      'bob-weather',
    )
  })
})

describe('a secret that was moved in the store', () => {
  test.each([
    ['another user', { uid: 'bob' }],
    ['another skill', { uid: 'ada', skillId: 'sg_weather' }],
    ['another name', { uid: 'ada', name: 'KEY_2' }],
  ])('a secret moved to %s does not open, and no part of it is told', async (_whom, to) => {
    const world = await worldOf('ada', 'bob')
    await set(world, 'ada', { KEY: 'ada-value' })
    const [own] = await world.ports.secrets.find({ uid: 'ada', skillId: 'sg_a', names: ['KEY'] })
    if (own === undefined) throw new Error('it was not stored')
    const moved: StoredSecret & { uid: string } = { ...own, ...to }
    await world.ports.secrets.put(moved)
    const wanted = { ...WANTED, uid: moved.uid, names: [moved.name] }
    const refusal = refusalOf(await loadSecrets(world.ports, wanted))
    expect(refusal).toEqual({
      code: 'secret_unreadable',
      detail: `secret ${moved.name}: does not open, since its key or its record is not the one it was set with. Ask the administrator of this gateway to set it again.`,
    })
    expect(world.log.notes).toMatchObject([
      { level: 'error', event: 'secret-unreadable', fields: { uid: moved.uid, why: 'foreign' } },
    ])
    expect(said(world)).not.toContain('ada-value')
  })

  test("is not replaced by the user's global one", async () => {
    const world = await worldOf('ada', 'bob')
    await set(world, 'bob', { KEY: 'bob-value' }, 'sg_weather')
    const [others] = await world.ports.secrets.find({ ...WANTED, uid: 'bob' })
    if (others === undefined) throw new Error('it was not stored')
    await set(world, 'ada', { KEY: 'ada-global' })
    await world.ports.secrets.put({ ...others, uid: 'ada' })
    expect(refusalOf(await loadSecrets(world.ports, WANTED)).code).toBe('secret_unreadable')
  })
})

describe('a secret that is missing', () => {
  test('is named, with whom to ask for it', async () => {
    const world = await worldOf('ada')
    const private_ = { ...WANTED, skillId: 'sg_wéather' }
    expect(refusalOf(await loadSecrets(world.ports, private_))).toEqual({
      code: 'secret_missing',
      missing: ['KEY'],
      detail:
        'secret KEY: is not set for this user. Ask the administrator of this gateway to set it.',
    })
  })

  test('is named beside others, five at most', async () => {
    const world = await worldOf('ada')
    await set(world, 'ada', { B: 'is-set' })
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']
    expect(refusalOf(await loadSecrets(world.ports, { ...WANTED, names })).detail).toBe(
      'secrets A, C, D, E, F and 2 more: are not set for this user. Ask the administrator of this gateway to set them.',
    )
  })
})

describe('a failure', () => {
  test.each<[SealFailure['why'], RegExp]>([
    ['denied', /^secret KEY: cannot be read, since the gateway may not use its key\./],
    ['unavailable', /^secret KEY: cannot be read, since the key service does not answer\./],
  ])('of the key (%s) is reported and logged', async (why, detail) => {
    const world = await worldOf('ada')
    await set(world, 'ada', { KEY: 'ada-value' })
    const cause = new Error('what the key said')
    const open = async () => ({ ok: false, error: { why, cause } }) as const
    world.ports.secretSeals = { ...world.ports.secretSeals, open }
    const refusal = refusalOf(await loadSecrets(world.ports, WANTED))
    expect([refusal.code, refusal.detail]).toEqual([
      'secret_unreadable',
      expect.stringMatching(detail),
    ])
    expect(refusal.detail).not.toContain('what the key said')
    expect(world.log.notes).toEqual([
      {
        level: 'error',
        event: 'secret-unreadable',
        fields: { uid: 'ada', skillId: 'sg_weather', why },
        cause,
      },
    ])
  })

  test('of the store is reported, and the key service is not asked', async () => {
    const world = await worldOf('ada')
    const cause = new Fault('store_unavailable', 'no answer')
    world.ports.secrets = { ...world.ports.secrets, find: () => Promise.reject(cause) }
    expect(refusalOf(await loadSecrets(world.ports, WANTED))).toEqual({
      code: 'secret_unreadable',
      detail: 'secrets: the store does not answer. Try again in a moment.',
    })
    expect(world.log.notes).toMatchObject([{ event: 'secret-unreadable', cause }])
  })

  test('that a port throws is returned and not thrown, so that the call is refunded', async () => {
    const world = await worldOf('ada')
    await set(world, 'ada', { KEY: 'ada-value' })
    const open = () => Promise.reject(new Error('a bug'))
    world.ports.secretSeals = { ...world.ports.secretSeals, open }
    expect(refusalOf(await loadSecrets(world.ports, WANTED)).code).toBe('secret_unreadable')
  })

  test('to open one of several secrets gives none of them', async () => {
    const world = await worldOf('ada')
    await set(world, 'ada', { A: 'value-a', B: 'value-b' })
    const [ofA] = await world.ports.secrets.find({ uid: 'ada', skillId: 'sg_a', names: ['A'] })
    if (ofA === undefined) throw new Error('it was not stored')
    await world.ports.secrets.put({ ...ofA, uid: 'ada', name: 'B' })
    const refusal = refusalOf(await loadSecrets(world.ports, { ...WANTED, names: ['A', 'B'] }))
    expect(refusal.detail).toMatch(/^secret B: does not open/)
    expect(JSON.stringify(refusal)).not.toContain('value-')
  })
})

/** Everything that was logged, causes and their stacks included. */
function said(world: World): string {
  const causes = world.log.notes.flatMap(({ cause }) => {
    const texts: string[] = []
    for (let at: unknown = cause; at instanceof Error; at = at.cause) texts.push(String(at.stack))
    return texts
  })
  return JSON.stringify([world.log.notes, world.log.calls, causes])
}
