/** The server card and the AI catalogue of the door mcp. */
import { expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import { CARD_DESCRIPTION } from '../../../core/mcp/server-card.ts'
import { makeWorld, SETTINGS } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorOf, modern, post } from './agent.ts'

const OPEN = { ...SETTINGS, publicOrigin: 'https://mcp.example.com' }
const LOGIN = { issuer: 'https://mcp.example.com', redirectHosts: [], tokenLifeMs: 3_600_000 }
const CARD = '/mcp/server-card'
const CATALOG = '/.well-known/ai-catalog.json'

const doorWith = (settings: Partial<typeof OPEN>) => doorOf(makeWorld({ ...OPEN, ...settings }))

test('the card says what server/discover says, where it is and what its calls need', async () => {
  const door = doorWith({})
  const out = await ask(door, 'GET', CARD)
  const { result } = (await post(door, modern('server/discover'))).json()
  const discovered: JsonObject = isJsonObject(result) ? result : {}
  const meta = Object(discovered['_meta'])['io.modelcontextprotocol/serverInfo']
  expect([out.status, out.headers['content-type'], out.headers['cache-control']]).toEqual([
    200,
    'application/mcp-server-card+json',
    'public, max-age=3600',
  ])
  expect(out.headers['access-control-allow-origin']).toBe('*')
  expect(out.json()).toEqual({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `com.example.mcp/${meta.name}`,
    version: meta.version,
    title: 'Skillgate',
    description:
      'HTTP APIs as tools for AI agents, with a price for each call. Failed calls are refunded.',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://mcp.example.com/mcp',
        supportedProtocolVersions: discovered['supportedVersions'],
        headers: [
          {
            name: 'Authorization',
            description: 'Bearer and an API key of this gateway, such as Bearer sgk_…',
            isRequired: true,
            isSecret: true,
          },
        ],
      },
    ],
  })
})

test('the description of the card has at most 100 characters', () => {
  expect(CARD_DESCRIPTION.length).toBeLessThanOrEqual(100)
})

test('the catalogue leads to the card, and the other spelling redirects to it', async () => {
  const door = doorWith({})
  const out = await ask(door, 'GET', CATALOG)
  expect([out.status, out.headers['content-type']]).toEqual([200, 'application/ai-catalog+json'])
  expect(out.json()).toEqual({
    specVersion: '1.0',
    entries: [
      {
        identifier: 'urn:air:mcp.example.com:mcp:skillgate',
        type: 'application/mcp-server-card+json',
        url: 'https://mcp.example.com/mcp/server-card',
        displayName: 'Skillgate',
      },
    ],
  })
  const other = await ask(door, 'GET', '/.well-known/mcp/server-card.json')
  expect([other.status, other.headers['location']]).toEqual([
    302,
    'https://mcp.example.com/mcp/server-card',
  ])
})

test('the documents need no key, no own origin and no Accept, also where people log in', async () => {
  const door = doorWith({ login: LOGIN } as Partial<typeof OPEN>)
  for (const path of [CARD, CATALOG]) {
    const headers = { origin: 'https://elsewhere.example' }
    const out = await ask(door, 'GET', path, { headers })
    expect([path, out.status, out.headers['access-control-allow-origin']]).toEqual([path, 200, '*'])
    expect(out.text).not.toContain('isRequired')
    expect((await ask(door, 'OPTIONS', path, { headers })).status).toBe(204)
    expect((await ask(door, 'HEAD', path)).text).toBe('')
    expect((await ask(door, 'POST', path, { body: {} })).status).toBe(405)
  }
})

test('a stage without publicOrigin has no card, and says why', async () => {
  const door = doorOf(makeWorld())
  const out = await ask(door, 'GET', CARD)
  expect([out.status, out.text]).toEqual([404, expect.stringContaining('publicOrigin')])
})

test('the catalog of tools is there where tools are listed without a credential alone', async () => {
  const login = { login: LOGIN } as Partial<typeof OPEN>
  expect((await ask(doorWith({}), 'GET', '/catalog')).status).toBe(200)
  expect((await ask(doorWith({ ...login, anonymousList: true }), 'GET', '/catalog')).status).toBe(
    200,
  )
  expect((await ask(doorWith(login), 'GET', '/catalog')).status).toBe(404)
})
