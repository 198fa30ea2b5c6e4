/** MCP servers are registered: planned, applied by the digest of the plan, listed and called. */
import { describe, expect, test } from 'vitest'
import { askAdmin } from '../../../lambdas/admin/admin-client.ts'
import { setShared } from '../execute/calls-with-secrets.ts'
import { toolOf } from './tool-server.ts'
import { call, listedNames, makeUpstreamWorld, register, show } from './upstream-world.ts'

const READ = toolOf('read_file', { annotations: { readOnlyHint: true } })
const WRITE = toolOf('write_file')

describe('a plan of an upstream', () => {
  test('shows each tool with its name here, its size and its price, and writes nothing', async () => {
    const world = await makeUpstreamWorld([READ, WRITE, toolOf('drop.all')])
    const body = {
      url: world.server.url,
      prefix: 'files',
      credits: 0.5,
      prices: { write_file: 2 },
      exclude: ['drop*'],
    }
    const plan = await askAdmin(world, 'POST', '/upstreams/files:plan', { body })
    expect(plan.status).toBe(200)
    expect(plan.json).toMatchObject({
      isFirst: true,
      server: { name: 'tools', version: '1.2.3' },
      protocol: '2025-11-25',
      excluded: ['drop.all'],
      tools: [
        { tool: 'read_file', skillId: 'sg_files_read_file', does: 'added', credits: 0.5 },
        { tool: 'write_file', skillId: 'sg_files_write_file', does: 'added', credits: 2 },
      ],
    })
    expect(await world.ports.mcpUpstreams.list()).toEqual([])
    expect(await listedNames(world)).toEqual([])
  })

  test('leaves out a tool that would break clients, alone and with the reason', async () => {
    const world = await makeUpstreamWorld([
      READ,
      toolOf('bad_schema', {
        inputSchema: { type: 'object', properties: { a: { type: 'text' } } },
      }),
      toolOf('long', { description: 'x'.repeat(4_097) }),
    ])
    expect((await register(world)).json).toMatchObject({
      added: ['sg_files_read_file'],
      counts: { unusable: 2, new: 0 },
    })
    const shown = (await show(world, 'tool=long'))['tools']
    expect(shown).toMatchObject([
      { tool: 'long', state: 'unusable', faults: [expect.stringContaining('4096 characters')] },
    ])
  })

  test('names both owners of a name, and nothing is registered', async () => {
    const world = await makeUpstreamWorld([toolOf('a.b'), toolOf('a_b')])
    const both = await register(world)
    expect(both.status).toBe(409)
    expect(both.json['detail']).toContain('a.b and a_b of this upstream would all be sg_files_a_b')
    await world.skill('sg_files_a_b')
    const taken = await register(world, { exclude: ['a.b'] })
    expect(taken.status).toBe(409)
    expect(taken.json['detail']).toContain(
      'a_b would be sg_files_a_b, which is a skill that somebody else made',
    )
    expect(await world.ports.mcpUpstreams.list()).toEqual([])
  })

  test('refuses a name that another upstream has, with both owners', async () => {
    const world = await makeUpstreamWorld([READ])
    expect((await register(world)).status).toBe(200)
    const second = await register(world, {}, 'other')
    expect(second.status).toBe(409)
    expect(second.json['detail']).toContain(
      'read_file would be sg_files_read_file, which is the tool read_file of the upstream files',
    )
  })

  test('cuts a name at 60 characters and ends it with a hash of the tool', async () => {
    const long = `read_${'x'.repeat(60)}`
    const world = await makeUpstreamWorld([toolOf(long), toolOf(`${long}y`)])
    const { added } = (await register(world)).json
    expect(added).toEqual([
      `sg_files_read_${'x'.repeat(39)}_40699b`,
      `sg_files_read_${'x'.repeat(39)}_009655`,
    ])
  })
})

describe('an apply of an upstream', () => {
  test('makes skills whose calls reach the tools and are charged', async () => {
    const world = await makeUpstreamWorld([READ, WRITE])
    const ada = await world.user('ada')
    expect((await register(world, { credits: 0.5 })).json).toMatchObject({
      added: ['sg_files_read_file', 'sg_files_write_file'],
      listed: 2,
    })
    expect(await listedNames(world)).toEqual(['sg_files_read_file', 'sg_files_write_file'])
    const answer = await call(world, ada, 'sg_files_read_file')
    expect(answer).toMatchObject({
      status: 200,
      body: { content: [{ type: 'text', text: 'read_file: x' }], isError: false },
    })
    expect(await world.credits('ada')).toMatchObject({ free: 99.5 })
  })

  test('keeps the schemas as the server sent them', async () => {
    const inputSchema = {
      type: 'object',
      properties: { b: { type: 'string', enum: ['z', 'a'] }, a: { type: 'number', maximum: 1e21 } },
      required: ['b'],
      additionalProperties: false,
    }
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } }
    const world = await makeUpstreamWorld([toolOf('read', { inputSchema, outputSchema })])
    await register(world)
    const skill = await world.ports.skills.get({ source: 'official', skillId: 'sg_files_read' })
    expect(JSON.stringify(skill?.definition['meta'])).toContain(
      JSON.stringify({ parameters: inputSchema, output_schema: outputSchema }).slice(1, -1),
    )
  })

  test('is refused with the digest of another plan, and lists nothing', async () => {
    const world = await makeUpstreamWorld([READ])
    const settings = { url: world.server.url, prefix: 'files' }
    const plan = await askAdmin(world, 'POST', '/upstreams/files:plan', { body: settings })
    const digest = plan.json['digest'] ?? ''
    world.server.tools = [toolOf('read_file', { description: 'Does something else.' })]
    const body = { ...settings, digest }
    const late = await askAdmin(world, 'PUT', '/upstreams/files', { body })
    expect(late.status).toBe(409)
    expect(late.json['detail']).toContain('digest: is not that of the present plan')
    world.server.tools = [READ]
    const other = { ...body, credits: 1 }
    expect((await askAdmin(world, 'PUT', '/upstreams/files', { body: other })).status).toBe(409)
    expect(await listedNames(world)).toEqual([])
    expect((await askAdmin(world, 'PUT', '/upstreams/files', { body })).status).toBe(200)
  })

  test('asks the server with a shared secret that is bound to its origin', async () => {
    const world = await makeUpstreamWorld([READ])
    const auth = { type: 'bearer', secret: 'FILES_KEY' }
    const missing = await register(world, { auth })
    expect(missing).toMatchObject({
      status: 422,
      json: {
        code: 'secret_missing',
        detail:
          'secret FILES_KEY: users set it themselves, and no user is named, and no shared one is set. Name a user in uid, or set one for all: PUT /v1/admin/secrets/FILES_KEY.',
      },
    })
    const { origin } = new URL(world.server.url)
    await setShared(world, 's3cret', { name: 'FILES_KEY', body: { origins: [origin] } })
    expect((await register(world, { auth })).status).toBe(200)
    expect(world.server.keys.every((key) => key === 'Bearer s3cret')).toBe(true)
  })

  test('shows no secret that a server repeats in its tools', async () => {
    const repeated = 'key-of-all-users-4711'
    const world = await makeUpstreamWorld([
      toolOf('read_file', { description: `You are logged in with ${repeated}.` }),
      toolOf('write_file', {
        inputSchema: { type: 'object', properties: { text: { default: btoa(repeated) } } },
      }),
    ])
    const auth = { type: 'bearer', secret: 'FILES_KEY' }
    const { origin } = new URL(world.server.url)
    await setShared(world, repeated, { name: 'FILES_KEY', body: { origins: [origin] } })
    expect((await register(world, { auth })).status).toBe(200)

    const tools = JSON.stringify(await world.ports.toolsCache.read())
    expect(tools).toContain('You are logged in with [secret FILES_KEY].')
    expect(tools).not.toContain(repeated)
    expect(tools).not.toContain(btoa(repeated))
  })

  test('shows no secret that a server repeats in its refusal, even where a quote is cut', async () => {
    const repeated = 'key-of-all-users-4711'
    const world = await makeUpstreamWorld([])
    world.server.refusal = `${'x'.repeat(490)}${repeated}`
    const auth = { type: 'bearer', secret: 'FILES_KEY' }
    const { origin } = new URL(world.server.url)
    await setShared(world, repeated, { name: 'FILES_KEY', body: { origins: [origin] } })
    const refused = await register(world, { auth })

    expect(refused).toMatchObject({ status: 502, json: { code: 'upstream_failed' } })
    expect(refused.json['detail']).toContain('The server answered the error -32603')
    expect(refused.json['detail']).not.toContain('key-')
  })

  test('says in words why a server gives no list', async () => {
    const world = await makeUpstreamWorld([READ])
    world.server.down = 503
    const refused = await register(world)
    expect(refused).toMatchObject({ status: 502, json: { code: 'upstream_failed' } })
  })

  test.each([
    [{ url: 'http://10.0.0.1/mcp' }, '/url'],
    [{ auth: { type: 'bearer', secret: 'not a name' } }, '/auth/secret'],
    [{ headers: { host: 'x' } }, '/headers/host'],
    [{ credits: 0.1234567 }, '/credits'],
    [{ prices: { read_file: 0.1234567 } }, '/prices/read_file'],
    [{ refresh_minutes: 4 }, '/refresh_minutes'],
  ])('refuses the settings %j by their own names', async (more, pointer) => {
    const world = await makeUpstreamWorld([READ])
    const refused = await register(world, more)
    expect(refused).toMatchObject({
      status: 422,
      json: { code: 'invalid_arguments', errors: [{ pointer }] },
    })
    expect(world.server.asked).toEqual([])
  })

  test('changes a price without a new approval, and neither prefix nor tier', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world)
    expect((await register(world, { credits: 3 })).json).toMatchObject({
      changed: ['sg_files_read_file'],
      added: [],
    })
    expect(await register(world, { prefix: 'other' })).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '/prefix' }] },
    })
  })
})

describe('a deletion of an upstream', () => {
  test('removes its skills, its tools from the list, and what waits', async () => {
    const world = await makeUpstreamWorld([READ])
    await register(world)
    world.server.tools = [READ, WRITE]
    await askAdmin(world, 'POST', '/upstreams/files:refresh')
    await world.skill('sg_files_own')
    expect((await askAdmin(world, 'DELETE', '/upstreams/files')).status).toBe(204)
    expect(await listedNames(world)).toEqual(['sg_files_own'])
    expect(await world.ports.mcpUpstreams.offers('files')).toEqual([])
    expect((await askAdmin(world, 'DELETE', '/upstreams/files')).status).toBe(404)
  })
})
