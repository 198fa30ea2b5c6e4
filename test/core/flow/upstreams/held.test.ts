/** Resources and prompts of upstreams, from the admin's setting to the agent's reads. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../core/json/json.ts'
import { askAdmin } from '../../../lambdas/admin/admin-client.ts'
import { doorOf, legacy, modern, post, withKey } from '../../../lambdas/mcp/agent.ts'
import { type ServerHeld, toolOf } from './tool-server.ts'
import { makeUpstreamWorld, refresh, register, type UpstreamWorld } from './upstream-world.ts'

const MINUTE_MS = 60_000
const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
type Version = (typeof VERSIONS)[number]

const README = 'file:///docs/readme.md'
const HERE = `skillgate://upstreams/files/${README}`
const PAGE = 'ui://charts/v1'
const PAGE_HERE = `ui://upstreams/files/${PAGE}`
const CSP = { connectDomains: ['https://api.example'] }

const HELD: ServerHeld = {
  resources: [
    { uri: README, name: 'readme', description: 'Read\u200b this.', mimeType: 'text/markdown' },
    { uri: PAGE, name: 'page', _meta: { ui: { csp: CSP, domain: 'x.example' }, other: 1 } },
    { uri: 'no scheme', name: 'bad' },
    { uri: README, name: 'again' },
  ],
  resourceTemplates: [{ uriTemplate: 'db://{table}/{+row}', name: 'row' }],
  prompts: [{ name: 'sum up', arguments: [{ name: 'length', required: true }] }],
  contents: {
    [README]: { contents: [{ uri: README, mimeType: 'text/markdown', text: '# Hello' }] },
    [PAGE]: {
      contents: [
        {
          uri: PAGE,
          mimeType: 'text/html;profile=mcp-app',
          text: '<!doctype html>',
          _meta: { ui: { csp: CSP, domain: 'x.example' } },
        },
      ],
    },
    'db://users/a/1': { contents: [{ uri: 'db://users/a/1', blob: '/wAB' }] },
  },
  prompt: {
    description: 'Sums up.',
    messages: [
      { role: 'user', content: { type: 'text', text: 'Sum up.' } },
      { role: 'user', content: { type: 'resource_link', uri: README, name: 'readme' } },
    ],
  },
}

async function opened(more: JsonObject = {}, held: ServerHeld = HELD): Promise<UpstreamWorld> {
  const world = await makeUpstreamWorld([toolOf('read')])
  world.server.held = held
  expect((await register(world, { resources: true, ...more })).status).toBe(200)
  return world
}

/** `version` is that of the agent. */
async function ask(
  world: UpstreamWorld,
  key: string | undefined,
  method: string,
  ...[params = {}, version = '2026-07-28']: readonly [JsonObject?, Version?]
): Promise<{ readonly result: JsonObject; readonly error: JsonObject }> {
  const named = params['uri']
  const headers = typeof named === 'string' ? { 'mcp-name': named } : {}
  const sent =
    version === '2026-07-28'
      ? modern(method, params, { headers })
      : legacy(method, params, { version })
  const { error = {}, result = {} } = (await post(doorOf(world), withKey(key, sent))).json() as {
    result?: JsonObject
    error?: JsonObject
  }
  return { result, error }
}

describe.each(VERSIONS)('an agent of %s', (version) => {
  test('lists what the upstream holds, under URIs and names of the gateway', async () => {
    const world = await opened()
    const key = await world.user('ada')
    const listed = await ask(world, key, 'resources/list', {}, version)
    expect(listed.result['resources']).toEqual([
      { uri: HERE, name: 'readme', description: 'Read this.', mimeType: 'text/markdown' },
      { uri: PAGE_HERE, name: 'page', _meta: { ui: { csp: CSP } } },
    ])
    const templates = await ask(world, key, 'resources/templates/list', {}, version)
    expect(templates.result['resourceTemplates']).toEqual([
      { uriTemplate: 'skillgate://upstreams/files/db://{table}/{+row}', name: 'row' },
    ])
    const prompts = await ask(world, key, 'prompts/list', {}, version)
    expect(prompts.result['prompts']).toEqual([
      { name: 'files_sum_up', arguments: [{ name: 'length', required: true }] },
    ])
  })

  test('reads a resource, an expanded template and a prompt of the server', async () => {
    const world = await opened()
    const key = await world.user('ada')
    const read = async (uri: string) =>
      (await ask(world, key, 'resources/read', { uri }, version)).result['contents']
    expect(await read(HERE)).toEqual([{ uri: HERE, mimeType: 'text/markdown', text: '# Hello' }])
    expect(await read('skillgate://upstreams/files/db://users/a/1')).toEqual([
      { uri: 'skillgate://upstreams/files/db://users/a/1', blob: '/wAB' },
    ])
    expect(await read(PAGE_HERE)).toMatchObject([{ uri: PAGE_HERE, _meta: { ui: { csp: CSP } } }])
    const params = { name: 'files_sum_up', arguments: { length: 'short' } }
    const { result } = await ask(world, key, 'prompts/get', params, version)
    const link =
      version === '2025-03-26'
        ? { type: 'text', text: `readme: ${HERE}` }
        : { type: 'resource_link', uri: HERE, name: 'readme' }
    expect(result).toMatchObject({
      description: 'Sums up.',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Sum up.' } },
        { role: 'user', content: link },
      ],
    })
    expect(world.server.asked).toContain('prompts/get sum up {"length":"short"}')
  })

  test('is told about an unknown resource as about one of nobody', async () => {
    const world = await opened()
    const key = await world.user('ada')
    const code = version === '2026-07-28' ? -32_602 : -32_002
    const unknown = ['file:///none', README].map((uri) => `skillgate://upstreams/other/${uri}`)
    for (const uri of [...unknown, 'skillgate://upstreams/files/file:///none']) {
      const { error } = await ask(world, key, 'resources/read', { uri }, version)
      expect(error).toMatchObject({ code, data: { uri } })
    }
  })
})

test('an upstream without the setting shows nothing, and its server is not asked', async () => {
  const world = await opened({ resources: false })
  const key = await world.user('ada')
  expect((await ask(world, key, 'resources/list')).result['resources']).toEqual([])
  const { error } = await ask(world, key, 'resources/read', { uri: HERE })
  expect(error).toMatchObject({ code: -32_602, data: { uri: HERE } })
  expect(world.server.asked).not.toContain(`resources/read ${README}`)
})

test('users outside its groups, keys for other tools and callers without a key see nothing', async () => {
  const world = await opened({ groups: ['gold'] })
  const member = await world.user('ada')
  await world.ports.profiles.change('ada', { groups: ['gold'] })
  const other = await world.user('bob')
  const seen = async (key: string | undefined) =>
    (await ask(world, key, 'resources/list')).result['resources']
  expect(await seen(member)).toHaveLength(2)
  for (const key of [other, undefined]) {
    expect(await seen(key)).toEqual([])
    const { error } = await ask(world, key, 'resources/read', { uri: HERE })
    expect(error).toMatchObject({ code: -32_602, data: { uri: HERE } })
    const prompt = await ask(world, key, 'prompts/get', { name: 'files_sum_up', arguments: {} })
    expect(prompt.error).toMatchObject({ code: -32_602 })
  }
})

test('the credential of the upstream goes along and is hidden in what the server repeats', async () => {
  const world = await makeUpstreamWorld([toolOf('read')])
  const text = 'You sent hunter2-hunter2.'
  world.server.held = {
    resources: [{ uri: README, name: 'readme' }],
    contents: {
      [README]: { contents: [{ uri: README, text }] },
      'file:///data': { contents: [{ uri: 'file:///data', blob: btoa(text) }] },
    },
  }
  const host = new URL(world.server.url).host
  const secret = { value: 'hunter2-hunter2', origins: [`http://${host}`] }
  await askAdmin(world, 'PUT', '/secrets/FILES_KEY', { body: secret })
  const auth = { type: 'bearer', secret: 'FILES_KEY' }
  expect((await register(world, { resources: true, auth })).status).toBe(200)
  const key = await world.user('ada')
  world.server.keys.splice(0)
  const { result } = await ask(world, key, 'resources/read', { uri: HERE })
  expect(result['contents']).toEqual([{ uri: HERE, text: 'You sent [secret FILES_KEY].' }])
  expect(new Set(world.server.keys)).toEqual(new Set(['Bearer hunter2-hunter2']))
  const uri = 'skillgate://upstreams/files/file:///data'
  const hidden = await ask(world, key, 'resources/read', { uri })
  expect(hidden.error['message']).toBe('The server’s answer holds a secret of the request.')
})

test('a read costs nothing, and the 31st of a key in a minute is refused', async () => {
  const world = await opened()
  const key = await world.user('ada', { credits: 5 })
  const credits = await world.credits('ada')
  for (let reads = 0; reads < 30; reads += 1) {
    expect((await ask(world, key, 'resources/read', { uri: HERE })).error).toEqual({})
  }
  const { error } = await ask(world, key, 'resources/read', { uri: HERE })
  expect(error['message']).toMatch(/^This key may read 30 resources and prompts of upstreams/)
  expect(await world.credits('ada')).toEqual(credits)
  await world.clock.advance(MINUTE_MS)
  expect((await ask(world, key, 'resources/read', { uri: HERE })).error).toEqual({})
})

test('a server that is down fails the read, and its list stays', async () => {
  const world = await opened()
  const key = await world.user('ada')
  world.server.down = 503
  const { error } = await ask(world, key, 'resources/read', { uri: HERE })
  expect(error).toMatchObject({ data: { code: 'upstream_failed' } })
  expect((await ask(world, key, 'resources/list')).result['resources']).toHaveLength(2)
})

test('a refresh takes over what the server holds, and a deletion forgets it', async () => {
  const world = await opened()
  const key = await world.user('ada')
  const list = async () => (await ask(world, key, 'resources/list')).result['resources']
  world.server.held = { resources: [{ uri: 'file:///new', name: 'new' }] }
  expect((await refresh(world)).status).toBe(200)
  expect(await list()).toEqual([{ uri: 'skillgate://upstreams/files/file:///new', name: 'new' }])
  expect((await askAdmin(world, 'DELETE', '/upstreams/files')).status).toBeLessThan(300)
  expect(await list()).toEqual([])
  expect(await world.ports.mcpUpstreams.held('files')).toBeUndefined()
})

const HOSTILE: readonly (readonly [string, JsonObject])[] = [
  ['no contents', { contents: [] }],
  ['101 contents', { contents: Array.from({ length: 101 }, () => ({ uri: README, text: 'x' })) }],
  ['a content without data', { contents: [{ uri: README }] }],
  ['over 1,000,000 bytes', { contents: [{ uri: README, text: 'x'.repeat(1_000_000) }] }],
]

test.each(HOSTILE)('an answer with %s is refused in words', async (_name, answer) => {
  const world = await opened({}, { ...HELD, contents: { [README]: answer } })
  const key = await world.user('ada')
  const { error } = await ask(world, key, 'resources/read', { uri: HERE })
  expect(error).toMatchObject({ data: { code: 'upstream_failed' } })
})

test('contents under another URI stay URIs of the same upstream', async () => {
  const theirs = ['skillgate://upstreams/other/file:///x', 'skillgate://results/abc', 'ui://x/y']
  const contents = theirs.map((uri) => ({ uri, text: 'x' }))
  const world = await opened({}, { ...HELD, contents: { [README]: { contents } } })
  const { result } = await ask(world, await world.user('ada'), 'resources/read', { uri: HERE })
  expect(result['contents']).toEqual([
    { uri: `skillgate://upstreams/files/${theirs[0]}`, text: 'x' },
    { uri: `skillgate://upstreams/files/${theirs[1]}`, text: 'x' },
    { uri: 'ui://upstreams/files/ui://x/y', text: 'x' },
  ])
})

const LINKS = [
  { type: 'resource_link', uri: README, name: 'readme' },
  { type: 'resource_link', uri: 'skillgate://upstreams/other/file:///x', name: 'other' },
  { type: 'resource_link', uri: 'https://web.example/', name: 'web' },
  { type: 'resource', resource: { uri: README, text: 'x' } },
]

test('links in results lead to what the agent can read, or become text', async () => {
  for (const resources of [true, false]) {
    const world = await opened({ resources })
    const key = await world.user('ada')
    world.server.content = LINKS
    const params = { name: 'sg_files_read', arguments: { text: 'x' } }
    const { content } = (await ask(world, key, 'tools/call', params)).result
    expect(content).toEqual(
      resources
        ? [
            { type: 'resource_link', uri: HERE, name: 'readme' },
            {
              type: 'resource_link',
              uri: 'skillgate://upstreams/files/skillgate://upstreams/other/file:///x',
              name: 'other',
            },
            LINKS[2],
            { type: 'resource', resource: { uri: HERE, text: 'x' } },
          ]
        : [
            { type: 'text', text: `readme: ${README}` },
            { type: 'text', text: 'other: skillgate://upstreams/other/file:///x' },
            LINKS[2],
            { type: 'resource', resource: { uri: README, text: 'x' } },
          ],
    )
  }
})

test('the page of a tool is listed with the resources of its upstream alone', async () => {
  for (const resources of [true, false]) {
    const world = await makeUpstreamWorld([
      toolOf('chart', { _meta: { ui: { resourceUri: PAGE, visibility: ['app'] } } }),
    ])
    world.server.held = HELD
    await register(world, { resources })
    const { tools } = (await ask(world, await world.user('ada'), 'tools/list')).result
    const tool = (tools as JsonObject[]).find(({ name }) => name === 'sg_files_chart')
    const meta = (tool?.['_meta'] ?? {}) as JsonObject
    const ui = { resourceUri: PAGE_HERE, visibility: ['app'] }
    expect(meta['skillgate/price']).toBeDefined()
    expect(meta['ui']).toEqual(resources ? ui : undefined)
  }
})

test('another page makes a tool a changed one, which is held', async () => {
  const world = await makeUpstreamWorld([toolOf('chart', { _meta: { ui: { resourceUri: PAGE } } })])
  await register(world, { resources: true })
  world.server.tools = [toolOf('chart', { _meta: { ui: { resourceUri: 'ui://other' } } })]
  await refresh(world)
  const shown = await askAdmin(world, 'GET', '/upstreams/files')
  expect(shown.json['counts']).toMatchObject({ changed: 1 })
})

test('pages of a list have 100 entries, and the next ones begin after them', async () => {
  const resources = Array.from({ length: 101 }, (_, at) => ({ uri: `n:${at}`, name: `n${at}` }))
  const world = await opened({}, { resources })
  const key = await world.user('ada')
  const first = (await ask(world, key, 'resources/list')).result
  expect(first['resources']).toHaveLength(100)
  const cursor = first['nextCursor'] ?? ''
  const second = (await ask(world, key, 'resources/list', { cursor })).result
  expect(second['resources']).toEqual([{ uri: 'skillgate://upstreams/files/n:100', name: 'n100' }])
  expect(second['nextCursor']).toBeUndefined()
})
