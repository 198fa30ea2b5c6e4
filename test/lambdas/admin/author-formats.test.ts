/** Texts of authors that were taken for something else: task lists, front matter, the earlier service's Markdown, names that collide. */
import { beforeEach, describe, expect, test } from 'vitest'
import { readMergedTools } from '../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { execute } from '../../core/flow/caller.ts'
import { makeWorld, skillJson, type World } from '../../core/flow/world.ts'
import { doorOf, legacy, post as postMcp } from '../mcp/agent.ts'
import { askAdmin } from './admin-client.ts'

let world: World
beforeEach(() => {
  world = makeWorld()
})

const post = (path: string, body: Json, query = '') =>
  askAdmin(world, 'POST', path, { body, query })

const BARE = `# Weather

\`\`\`yaml
endpoint: https://api.example.com/weather
method: GET
\`\`\`

\`\`\`json
{"type":"object","properties":{"city":{"type":"string"}}}
\`\`\`
`

describe('a Markdown skill', () => {
  test.each(['[ ] check the price\n\n', '[x] done\n\n', '[{link}](https://example.com)\n\n'])(
    'that begins with %j is Markdown',
    async (start) => {
      const body = `${start}${BARE}`
      const out = await post('/sync_skill', body, 'source=official&credits=1&description=Weather.')
      if (start.startsWith('[{')) expect(out.json['detail']).toContain('is not JSON')
      else expect(out.status).toBe(201)
    },
  )

  test('of a heading and two blocks takes price and description from the query', async () => {
    const query = 'source=official&credits=0.5&description=Tells%20the%20weather.'
    const out = await post('/sync_skill', BARE, query)
    expect(out.status).toBe(201)
    expect(out.json['skill']).toMatchObject({
      id: 'sg_weather',
      credits_per_call: 0.5,
      meta: { name: 'Weather', description: 'Tells the weather.' },
    })
  })

  test('of a heading and two blocks is told where price and description may come from', async () => {
    const out = await post('/sync_skill', BARE, 'source=official')
    expect(out.status).toBe(422)
    expect(out.text).toContain('?credits=')
    expect(out.text).toContain('?description=')
  })

  test('keeps its own price and description, whatever the query says', async () => {
    const own = BARE.replace('method: GET', 'method: GET\ncredits_per_call: 2\ndescription: Own.')
    const out = await post('/sync_skill', own, 'source=official&credits=1&description=Other.')
    expect(out.json['skill']).toMatchObject({ credits_per_call: 2, meta: { description: 'Own.' } })
  })

  test.each(['-1', '1e3', 'x', '0.0000001', ''])(
    'is refused a price of %j in the query',
    async (credits) => {
      const out = await post(
        '/sync_skill',
        BARE,
        `source=official&description=x&credits=${credits}`,
      )
      expect(out.status).toBe(400)
    },
  )

  test('with front matter is refused, since its fields would be lost', async () => {
    const out = await post(
      '/sync_skill',
      `---\ncredits_per_call: 0\nid: sg_x\n---\n${BARE}`,
      'source=official&credits=1',
    )
    expect(out.status).toBe(422)
    expect(out.text).toContain('front matter between --- lines is not read')
  })

  test('that begins with a line is not taken for front matter', async () => {
    const out = await post(
      '/sync_skill',
      `---\n\n${BARE}`,
      'source=official&credits=1&description=x',
    )
    expect(out.status).toBe(201)
  })
})

describe('a username that begins as the ids of shared skills do', () => {
  test.each(['sg', 'sg_', 'sg_ops', 'sg!ops', 'sg ops'])(
    'such a username is refused: %s',
    async (username) => {
      await world.user('ada')
      for (const out of [
        await post('/users', { username }),
        await askAdmin(world, 'PATCH', '/users/ada', { body: { username } }),
      ]) {
        expect(out.status).toBe(422)
        expect(out.json).toMatchObject({ errors: [{ pointer: '/username' }] })
      }
      const batch = await post('/users:batch', JSON.stringify({ uid: 'bob', username }))
      expect(batch.json['results']).toMatchObject([{ status: 422 }])
    },
  )

  test.each(['sgt', 'Sg', 'sg-ops', 'asg_x'])('such a username is none: %s', async (username) => {
    expect((await post('/users', { username })).status).toBe(201)
  })

  test('names no tool as a shared skill is named, where a user of an earlier build has it', async () => {
    await world.user('ada')
    await world.ports.profiles.change('ada', { username: 'sg' })
    const skill = { ...skillJson('sg_own'), source: 'private' }
    const out = await post('/sync_skill', skill, 'uid=ada')
    expect(out.json['toolName']).toBe('u_sg_sg_own')
  })
})

describe('a private skill that cannot be called', () => {
  const own = (more: JsonObject) => ({ ...skillJson('sg_a'), source: 'private', ...more })

  test.each([
    ['is disabled', { state: 'disabled' }],
    [
      'cannot run in this build',
      { config: { endpoint: 'https://api.example.com/a', plugin_hook: 'not-there' } },
    ],
  ])(
    'a private skill is warned of when it %s and hides an official one, and the refusal says so',
    async (why, more) => {
      const ada = await world.user('ada')
      await world.skill('sg_a')
      const out = await post('/sync_skill', own(more), 'uid=ada')
      expect(out.json['warnings']).toContainEqual(
        `id: this skill ${why}, and it hides the official skill sg_a from its owner, whose calls of that name are refused. Correct it, or delete it`,
      )
      const refused = JSON.stringify(await execute(world, ada, 'sg_a'))
      expect(refused).toContain('hides the official skill sg_a')
    },
  )

  test('a private skill is no concern where it hides nothing, or works', async () => {
    await world.user('ada')
    expect(
      (await post('/sync_skill', own({ state: 'disabled' }), 'uid=ada')).json['warnings'],
    ).toEqual([])
    await world.skill('sg_a')
    expect((await post('/sync_skill', own({ state: 'listed' }), 'uid=ada')).text).not.toContain(
      'hides',
    )
  })
})

describe('a pushed entry with the name of a built-in tool', () => {
  const ENTRY: JsonObject = {
    name: 'sg_account',
    title: 'Your balance',
    description: 'Shows your credits.',
    inputSchema: { type: 'object', properties: {} },
  }
  const push = (entry: JsonObject) => post('/sync_cache', { mode: 'replace', tools: [entry] })

  test('changes what agents read of the tool, and a call still runs it', async () => {
    const ada = await world.user('ada')
    expect((await push(ENTRY)).status).toBe(200)
    const tools = await readMergedTools(world.ports, world.settings, makeToolListCache(), undefined)
    const listed = tools.filter(({ name }) => name === 'sg_account')
    expect(listed).toMatchObject([
      {
        title: 'Your balance',
        description: 'Shows your credits.',
        priceMicroCredits: 0,
        annotations: { readOnlyHint: true },
      },
    ])
    const sent = legacy(
      'tools/call',
      { name: 'sg_account', arguments: {} },
      { version: '2025-11-25' },
    )
    const out = await postMcp(doorOf(world), {
      headers: { ...sent.headers, authorization: ada },
      body: JSON.stringify(sent.body),
    })
    expect(out.text).toContain('100')
  })

  test.each([
    [{ creditsPerCall: 1 }, '/creditsPerCall'],
    [{ skillId: 'sg_other' }, '/skillId'],
    [{ outputSchema: { type: 'object' } }, '/outputSchema'],
  ])(
    'a pushed built-in entry is refused where it promises what the built-in tool does not do: %j',
    async (more: JsonObject, pointer) => {
      const out = await push({ ...ENTRY, ...more })
      expect(out.status).toBe(422)
      expect(out.json).toMatchObject({ errors: [{ pointer: `/tools/0${pointer}` }] })
    },
  )
})
