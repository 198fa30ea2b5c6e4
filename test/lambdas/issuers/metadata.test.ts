/** The documents by which clients find where to log in, at every door. */
import { describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { Settings } from '../../../core/settings.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { createSseDoor } from '../../../lambdas/sse/door.ts'
import { makeWorld, SETTINGS } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorOf } from '../mcp/agent.ts'
import { ISSUER, ISSUER_SETTINGS } from './issued-tokens.ts'

const PRM = '/.well-known/oauth-protected-resource'
const LOGIN = { issuer: 'https://mcp.example', redirectHosts: [], tokenLifeMs: 3_600_000 }

const DOORS: readonly [string, (settings?: Settings) => StreamingHandler][] = [
  ['mcp', (settings = ISSUER_SETTINGS) => doorOf(makeWorld(settings))],
  ['sse', (settings = ISSUER_SETTINGS) => createSseDoor(makeWorld(settings).ports, settings)],
  [
    'execute',
    (settings = ISSUER_SETTINGS) => createExecuteDoor(makeWorld(settings).ports, settings),
  ],
]

describe.each(DOORS)('the door %s', (_name, open) => {
  test.each([
    [PRM, 'https://mcp.example/mcp'],
    [`${PRM}/mcp`, 'https://mcp.example/mcp'],
    [`${PRM}/v1/mcp`, 'https://mcp.example/v1/mcp'],
    [`${PRM}/v1/mcp/sse`, 'https://mcp.example/v1/mcp/sse'],
    [`${PRM}/v1/execute`, 'https://mcp.example/v1/execute'],
  ])('serves the document at %s, which caches keep for 300 s', async (path, resource) => {
    const headers = { origin: 'https://any.example', host: 'evil.example' }
    const out = await ask(open(), 'GET', path, { headers })
    expect(out.status).toBe(200)
    expect(out.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    })
    expect(out.json()).toEqual({
      resource,
      authorization_servers: ['https://as.example/tenant'],
      scopes_supported: ['tools:read', 'tools:call'],
      bearer_methods_supported: ['header'],
      resource_name: 'Skillgate',
    })
  })

  test.each([`${PRM}/v1/admin`, `${PRM}s`, `${PRM}/mcp/`])(
    'answers %s with 404 that pages may read',
    async (path) => {
      const out = await ask(open(), 'GET', path)
      expect([out.status, out.headers['access-control-allow-origin']]).toEqual([404, '*'])
    },
  )

  test('answers preflights of any page, and refuses other methods', async () => {
    const headers = { origin: 'https://any.example' }
    const preflight = await ask(open(), 'OPTIONS', PRM, { headers })
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([
      204,
      'GET, OPTIONS',
    ])
    const posted = await ask(open(), 'POST', PRM, { headers })
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET'])
  })

  test("names the gateway's own login before the issuers", async () => {
    const out = await ask(open({ ...ISSUER_SETTINGS, login: LOGIN }), 'GET', PRM)
    expect(out.json()['authorization_servers']).toEqual([
      'https://mcp.example',
      'https://as.example/tenant',
    ])
  })

  test('serves none without login and issuers', async () => {
    expect((await ask(open(SETTINGS), 'GET', PRM)).status).toBe(404)
  })
})

describe('the metadata of a server on the origin of /mcp', () => {
  const at = (path: string, settings = ISSUER_SETTINGS) =>
    ask(doorOf(makeWorld(settings)), 'GET', path)

  test.each([
    ['https://as.example/tenant', 'https://as.example/tenant/.well-known/openid-configuration'],
    ['https://as.example/', 'https://as.example/.well-known/openid-configuration'],
  ])('leads to those of the first issuer, %s', async (issuer, location) => {
    const issuers = [{ ...ISSUER, issuer }, ISSUER]
    const out = await at('/.well-known/oauth-authorization-server', { ...ISSUER_SETTINGS, issuers })
    expect([
      out.status,
      out.headers['location'],
      out.headers['access-control-allow-origin'],
    ]).toEqual([302, location, '*'])
  })

  test("is that of the gateway's own login if there is one", async () => {
    const out = await at('/.well-known/oauth-authorization-server', {
      ...ISSUER_SETTINGS,
      login: LOGIN,
    })
    expect(out.json()['issuer']).toBe('https://mcp.example')
  })

  test.each(['/.well-known/openid-configuration', '/authorize', '/token', '/register', '/revoke'])(
    'is not at %s with issuers alone',
    async (path) => {
      expect((await at(path)).status).toBe(404)
    },
  )

  test('of OpenID Connect is missing with a login too', async () => {
    const out = await at('/.well-known/openid-configuration', { ...ISSUER_SETTINGS, login: LOGIN })
    expect(out.status).toBe(404)
  })
})
