/** A change of many records is found in the trail by each of them, and a grant says who gave it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { isJsonObject } from '../../../core/json/json.ts'
import { asked, petstore } from '../../core/flow/imports/petstore.ts'
import { makeWorld, skillJson, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

let world: World
beforeEach(() => {
  world = makeWorld()
})

const ask = (path: string, body: Json, query = '') => askAdmin(world, 'POST', path, { body, query })

async function operationsOf(target: string): Promise<readonly Json[]> {
  const { json } = await askAdmin(world, 'GET', '/audit', { query: `target=${target}` })
  const list: readonly Json[] = Array.isArray(json['changes']) ? json['changes'] : []
  return list.filter(isJsonObject).map(({ operation }) => operation ?? null)
}

function lines(count: number, more: (index: number) => JsonObject): string {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ uid: `u-${index}`, ...more(index) }),
  ).join('\n')
}

describe('GET audit?target=', () => {
  test('finds a batch of users and a batch of credits by each of 120 users, and by a grant', async () => {
    await ask(
      '/users:batch',
      lines(120, (index) => ({ username: `user ${index}` })),
    )
    await ask(
      '/credits:batch',
      lines(120, () => ({ grantId: 'november', amount: 1 })),
    )
    for (const uid of ['u-0', 'u-60', 'u-119']) {
      expect(await operationsOf(uid)).toEqual(['grantManyCredits', 'createUsers'])
    }
    expect(await operationsOf('november')).toEqual(['grantManyCredits'])
    expect(await operationsOf('u-120')).toEqual([])
    const { json } = await askAdmin(world, 'GET', '/audit', { query: 'target=u-119&limit=1' })
    expect(json).toMatchObject({ changes: [{ targetCount: 121 }] })
    expect(await askAdmin(world, 'GET', '/audit/verify')).toMatchObject({ json: { isWhole: true } })
  })

  test('finds a batch by a line that was refused, for it was asked', async () => {
    await ask('/credits:batch', '{"uid":"nobody","grantId":"g","amount":1}\n{"uid":5}\nno json')
    expect(await operationsOf('nobody')).toEqual(['grantManyCredits'])
  })

  test.each([
    ['an array', (): Json => [skillJson('sg_a'), skillJson('b')]],
    [
      'a page of a GET',
      (): Json => ({ skills: [{ skill: skillJson('sg_a') }, { skill: skillJson('sg_b') }] }),
    ],
  ])('finds a sync of %s by each skill', async (_, body) => {
    await ask('/sync_skill', body(), 'source=official')
    expect(await operationsOf('sg_a')).toEqual(['syncSkill'])
    expect(await operationsOf('sg_b')).toEqual(['syncSkill'])
  })

  test.each([
    ['an array', (): Json => [skillJson('sg_a'), skillJson('sg_b')]],
    [
      'lines',
      (): Json =>
        [skillJson('sg_a'), skillJson('sg_b')].map((one) => JSON.stringify(one)).join('\n'),
    ],
    [
      'files',
      (): Json =>
        ['sg_a', 'sg_b'].map((id) => ({ path: `${id}.json`, text: JSON.stringify(skillJson(id)) })),
    ],
  ])(
    'finds an apply of %s by each skill, and a prune by those that it removed',
    async (_, body) => {
      await ask('/skills:apply', body(), 'set=s')
      expect(await operationsOf('sg_a')).toEqual(['applySkills'])
      expect(await operationsOf('sg_b')).toEqual(['applySkills'])
      await ask('/skills:apply', [skillJson('sg_a')], 'set=s&prune=true')
      expect(await operationsOf('sg_b')).toEqual(['applySkills', 'applySkills'])
    },
  )

  test('finds a sync of Markdown by the id that it got', async () => {
    const yaml = 'source: official\ncredits_per_call: 0\nendpoint: https://api.example.com/n'
    const body = `# The tide\n\nTells it.\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n\n\`\`\`json\n{"type":"object","properties":{}}\n\`\`\`\n`
    await ask('/sync_skill', body)
    expect(await operationsOf('sg_the_tide')).toEqual(['syncSkill'])
  })

  test('finds an import by each skill that it made', async () => {
    await ask('/imports/openapi:apply', JSON.parse(JSON.stringify(asked(petstore()))))
    expect(await operationsOf('sg_pets_showPet')).toEqual(['applyImport'])
    expect(await operationsOf('sg_pets_listPets')).toEqual(['applyImport'])
  })

  test('finds a private sync by user and skill, and names no user by the name of a tool', async () => {
    await world.user('ada')
    await askAdmin(world, 'PATCH', '/users/ada', { body: { username: 'Ada Lovelace' } })
    const skill = { ...skillJson('sg_own'), source: 'private' }
    await ask('/sync_skill', skill, 'uid=ada')
    expect(await operationsOf('sg_own')).toEqual(['syncSkill'])
    await ask('/sync_skill', [{ ...skill, id: 'sg_two' }], 'uid=ada')
    expect(await operationsOf('sg_two')).toEqual(['syncSkill'])
    const { text } = await askAdmin(world, 'GET', '/audit')
    expect(text).not.toContain('Lovelace')
  })
})

describe('GET users/{uid}/credits', () => {
  test('says who gave each grant and why, one by one, in batches and with a new user', async () => {
    const { json } = await askAdmin(world, 'POST', '/keys', {
      body: { name: 'grace', role: 'operator' },
    })
    const headers = { 'x-admin-key': String(json['key']) }
    const by = (path: string, body: Json) => askAdmin(world, 'POST', path, { body, headers })
    await by('/users', { uid: 'ada', username: 'Ada', credits: 5 })
    await by('/users/ada/credits', { grantId: 'a', amount: 1, reason: 'trial' })
    await by('/credits:batch', '{"uid":"ada","grantId":"b","amount":2,"reason":"many"}')
    await ask('/users/ada/credits', { grantId: 'c', amount: 3 })
    const { json: page } = await askAdmin(world, 'GET', '/users/ada/credits')
    expect(page['grants']).toMatchObject([
      { grantId: 'a', by: 'grace', reason: 'trial' },
      { grantId: 'b', by: 'grace', reason: 'many' },
      { grantId: 'c', by: 'break-glass:internal-secret' },
      { grantId: 'initial', by: 'grace' },
    ])
  })
})
