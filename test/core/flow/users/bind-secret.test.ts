/** What a secret is bound to when it is set, as its answer and every list show it. */
import { describe, expect, test } from 'vitest'
import { listSecrets, setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import type { Json } from '../../../../core/json/json.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const OAUTH = {
  plugin_hook: 'oauth2_client_credentials',
  plugin_options: {
    token_url: 'https://auth.example/token',
    client_id_secret: 'ID',
    client_secret_secret: 'KEY',
  },
}

async function worldOf(): Promise<World> {
  const world = makeWorld()
  await world.user('ada')
  return world
}

function set(world: World, body: { readonly [field: string]: Json }, skill?: string) {
  const place = { uid: 'ada', name: 'KEY', skill }
  return setSecret(world.ports, world.settings, place, { value: 'ada-value', ...body })
}

function origins(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `https://h${n}.example`)
}

/** Two origins; their binding's text has 251 characters besides the filling of the second. */
function bindingOf(bytes: number): readonly string[] {
  const one = (filling: string) => `https://${filling}.example`
  return [one('a'.repeat(200)), one('b'.repeat(bytes - 251))]
}

describe('a secret that is set for a skill', () => {
  test('is bound to the tier and origins of the one that the user would call', async () => {
    const world = await worldOf()
    await world.skill('sg_a', { source: 'market' })
    const first = okOf(await set(world, {}, 'sg_a'))
    expect(first).toMatchObject({ tier: 'market', origins: ['https://api.example'] })
    const endpoint = 'https://ada.example/v1'
    await world.skill('sg_a', { source: 'private', uid: 'ada', config: { endpoint } })
    const shown = {
      name: 'KEY',
      skillId: 'sg_a',
      tier: 'private',
      origins: ['https://ada.example'],
      updatedAtMs: START_MS,
    }
    expect(okOf(await set(world, {}, 'sg_a'))).toEqual(shown)
    const all = { limit: undefined, cursor: undefined }
    expect(okOf(await listSecrets(world.ports, 'ada', all)).secrets).toEqual([shown])
  })

  test("is bound to the origin of the hook's token endpoint as well", async () => {
    const world = await worldOf()
    await world.skill('sg_a', { config: OAUTH })
    expect(okOf(await set(world, {}, 'sg_a')).origins).toEqual([
      'https://api.example',
      'https://auth.example',
    ])
  })

  test('is refused where there is no such skill, and none is sealed', async () => {
    const world = await worldOf()
    await world.user('bob')
    await world.skill('sg_a', { source: 'private', uid: 'bob' })
    expect(refusalOf(await set(world, {}, 'sg_a'))).toEqual({
      code: 'not_found',
      detail: 'skill: this user has no skill sg_a, so a secret for it would be sent nowhere.',
      remedy: { code: 'sync_skill' },
    })
    expect(await world.ports.secrets.list('ada')).toEqual([])
  })

  test('takes 8 origins with its own, and not 9', async () => {
    const world = await worldOf()
    await world.skill('sg_a')
    expect(okOf(await set(world, { origins: origins(7) }, 'sg_a')).origins).toHaveLength(8)
    expect(refusalOf(await set(world, { origins: origins(8) }, 'sg_a')).detail).toBe(
      '/origins: must be 8 at most, those of the skill among them',
    )
  })

  test('takes no market skills', async () => {
    const world = await worldOf()
    await world.skill('sg_a')
    expect(refusalOf(await set(world, { marketSkills: ['sg_a'] }, 'sg_a')).detail).toBe(
      '/marketSkills: goes with a secret for all skills; leave it out, or leave ?skill= out',
    )
  })
})

describe('a secret that is set for all skills', () => {
  test('shows the origins and market skills that were named', async () => {
    const world = await worldOf()
    await world.skill('sg_m', { source: 'market' })
    const body = { origins: ['https://b.example', 'http://a.example:81'], marketSkills: ['m'] }
    expect(okOf(await set(world, body))).toEqual({
      name: 'KEY',
      origins: ['http://a.example:81', 'https://b.example'],
      marketSkills: ['sg_m'],
      updatedAtMs: START_MS,
    })
  })

  test('takes a binding of 448 bytes, and none of 449', async () => {
    const world = await worldOf()
    expect(okOf(await set(world, { origins: bindingOf(448) })).origins).toHaveLength(2)
    const [stored] = await world.ports.secrets.list('ada')
    expect(stored?.binding).toHaveLength(448)
    expect(refusalOf(await set(world, { origins: bindingOf(449) })).detail).toBe(
      '/origins: are, with marketSkills, more than 448 bytes; set the secret for each skill',
    )
  })

  test.each<[{ readonly [field: string]: Json }, string]>([
    [{ origins: 'https://a.example' }, '/origins: must be a list of 8 at most'],
    [{ origins: origins(9) }, '/origins: must be a list of 8 at most'],
    [{ origins: [1] }, '/origins/0: must be a string'],
    [{ marketSkills: Array(9).fill('sg_m') }, '/marketSkills: must be a list of 8 at most'],
    [
      { marketSkills: ['sg_m'] },
      '/origins: must name the origins of the market skills, so that none of them takes it elsewhere',
    ],
    [
      { marketSkills: ['sg_none'], origins: ['https://a.example'] },
      '/marketSkills/0: is not the id of a market skill',
    ],
  ])('with %j is refused', async (body, detail) => {
    const world = await worldOf()
    await world.skill('sg_m', { source: 'market' })
    expect(refusalOf(await set(world, body)).detail).toBe(detail)
  })

  test.each([
    'https://A.example',
    'https://a.example/',
    'https://a.example:443',
    'https://u@a.example',
    'ftp://a.example',
    'a.example',
    '*',
  ])('a secret for the origin %s is refused with an example', async (origin) => {
    const world = await worldOf()
    expect(refusalOf(await set(world, { origins: [origin] })).detail).toBe(
      '/origins/0: must be an origin as browsers write it, such as https://api.example.com, or a Lambda function: its ARN, or lambda:NAME',
    )
  })
  test.each(['lambda:orders', 'arn:aws:lambda:eu-west-1:111122223333:function:orders'])(
    'a secret for the Lambda function %s is taken',
    async (origin) => {
      const world = await worldOf()
      expect(await set(world, { origins: [origin] })).toMatchObject({
        ok: true,
        value: { origins: [origin] },
      })
    },
  )
})
