/** The viewer function answers for a door only what that door answers, and passes all else. */
import { describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { convertSettings } from '../../../core/settings.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { createSseDoor } from '../../../lambdas/sse/door.ts'
import { withEdgeOrigin } from '../../../lib/edge/edge-origin.ts'
import { makeViewerCode, VIEWER_CODE_BYTES_MAX } from '../../../lib/edge/viewer-code.ts'
import type { Stage } from '../../../lib/stage.ts'
import { makeWorld, SETTINGS } from '../../core/flow/world.ts'
import { ask } from '../../lambdas/door-client.ts'
import { doorOf } from '../../lambdas/mcp/agent.ts'
import { EDGE_STAGE } from './edge-stage.ts'
import { openViewer } from './viewer.ts'

const STAGE: Stage = withEdgeOrigin({
  ...EDGE_STAGE,
  login: true,
  anonymousStreams: false,
  allowedOrigins: ['https://app.example'],
})
const ISSUERS: Stage = {
  ...STAGE,
  login: false,
  issuers: [{ issuer: 'https://as.example', audiences: ['a'], scopePrefix: 'api://app/' }],
}
const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource'

const view = openViewer(STAGE)
const viewed = (method: string, uri: string, headers: { [name: string]: string } = {}) =>
  view({ method, uri, headers: { host: 'mcp.example.com', ...headers } })

describe('a request without a credential', () => {
  test.each([
    ['POST', '/mcp', '/mcp'],
    ['GET', '/mcp', '/mcp'],
    ['POST', '/mcp/', '/mcp'],
    ['POST', '/v1/mcp', '/v1/mcp'],
    ['GET', '/v1/mcp/sse', '/v1/mcp/sse'],
    ['POST', '/v1/execute', '/v1/execute'],
  ])('%s %s is answered with 401 and the way to the login', (method, uri, resource) => {
    const answer = viewed(method, uri)
    expect(answer).toMatchObject({
      statusCode: 401,
      headers: {
        'cache-control': 'no-store',
        'www-authenticate': `Bearer resource_metadata="${METADATA}${resource}", scope="tools:read tools:call"`,
      },
    })
  })

  test('names the scopes as the issuer of the stage does', () => {
    const answer = openViewer(ISSUERS)({ method: 'POST', uri: '/mcp', headers: {} })
    expect(answer.headers['www-authenticate']).toContain(
      'scope="api://app/tools:read api://app/tools:call"',
    )
  })

  test.each([
    ['OPTIONS', '/mcp'],
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/authorize'],
    ['POST', '/token'],
    ['POST', '/register'],
    ['POST', '/revoke'],
    ['GET', '/invite/abc'],
    ['GET', '/secrets/abc'],
    ['GET', '/oauth/callback'],
    ['GET', '/mcp/server-card'],
    ['POST', '/v1/mcp/messages'],
    ['POST', '/v1/mcp/sse'],
    ['GET', '/v1/execute'],
    ['GET', '/v1/admin/skills'],
    ['GET', '/'],
    ['POST', '/constructor'],
    ['POST', '__proto__'],
  ])('%s %s goes on to its door', (method, uri) => {
    expect(viewed(method, uri)).toMatchObject({ uri })
    expect(viewed(method, uri)).not.toHaveProperty('statusCode')
  })
})

describe('a request with a credential', () => {
  test.each(['Bearer sgk_x', 'nonsense', ''])('such as %j goes on to its door', (authorization) => {
    expect(viewed('POST', '/mcp', { authorization })).toMatchObject({
      uri: '/mcp',
      headers: { authorization, host: 'mcp.example.com' },
    })
  })
})

describe('the address of the client', () => {
  test('is told to the origin, whatever the client says', () => {
    const sent = { authorization: 'Bearer sgk_x', 'x-viewer-address': '192.0.2.1' }
    expect(viewed('POST', '/mcp', sent).headers['x-viewer-address']).toBe('198.51.100.4')
    expect(viewed('GET', '/').headers['x-viewer-address']).toBe('198.51.100.4')
  })
})

describe('a page of another origin', () => {
  test('on the list may read the challenge', () => {
    expect(viewed('POST', '/mcp', { origin: 'https://app.example' })).toMatchObject({
      statusCode: 401,
      headers: {
        'access-control-allow-origin': 'https://app.example',
        'access-control-expose-headers': expect.stringContaining('www-authenticate'),
      },
    })
  })

  test.each([
    'https://other.example',
    'null',
    'https://app.example/',
    'https://app.example, b',
    '',
  ])('that the list does not have, such as %j, is judged by the door', (origin) => {
    expect(viewed('POST', '/mcp', { origin })).not.toHaveProperty('statusCode')
  })

  test('is answered where all origins are allowed', () => {
    const open = openViewer({ ...STAGE, allowedOrigins: ['*'] })
    const headers = { origin: 'vscode-webview://abc' }
    expect(open({ method: 'POST', uri: '/mcp', headers })).toMatchObject({
      statusCode: 401,
      headers: { 'access-control-allow-origin': 'vscode-webview://abc' },
    })
    const split = { origin: 'https://a.example\r\nset-cookie: a' }
    expect(open({ method: 'POST', uri: '/mcp', headers: split })).not.toHaveProperty('statusCode')
  })
})

describe('a stage that serves callers without a credential', () => {
  test('answers none of their lists at the edge, and each call over REST', () => {
    const open = openViewer({
      ...STAGE,
      anonymousList: true,
      anonymousStreams: true,
      sseConcurrency: 100,
    })
    const statusOf = (method: string, uri: string) => open({ method, uri, headers: {} }).statusCode
    expect(statusOf('POST', '/mcp')).toBeUndefined()
    expect(statusOf('GET', '/v1/mcp/sse')).toBeUndefined()
    expect(statusOf('POST', '/v1/execute')).toBe(401)
  })

  test('answers nothing at the edge if nobody can log in', () => {
    const open = openViewer({ ...STAGE, login: false })
    for (const uri of ['/mcp', '/v1/mcp/sse', '/v1/execute']) {
      expect(
        open({ method: uri === '/v1/mcp/sse' ? 'GET' : 'POST', uri, headers: {} }).statusCode,
      ).toBeUndefined()
    }
  })
})

describe.each([
  ['the own login', STAGE],
  ['an issuer', ISSUERS],
])('with %s, the answer of the edge is the one of the door', (_name, stage) => {
  const settings = { ...SETTINGS, ...convertSettings(stage) }
  const DOORS: readonly (readonly [string, string, () => StreamingHandler])[] = [
    ['POST', '/mcp', () => doorOf(makeWorld(settings))],
    ['GET', '/v1/mcp', () => doorOf(makeWorld(settings))],
    ['GET', '/v1/mcp/sse', () => createSseDoor(makeWorld(settings).ports, settings)],
    ['POST', '/v1/execute', () => createExecuteDoor(makeWorld(settings).ports, settings)],
  ]

  test.each(DOORS)('for %s %s', async (method, uri, open) => {
    const headers = { origin: 'https://app.example' }
    const body = method === 'POST' ? { skill: 'sg_x', arguments: {} } : undefined
    const sent = body === undefined ? { headers } : { headers, body }
    const door = await ask(open(), method, uri, sent)
    const edge = openViewer(stage)({ method, uri, headers })
    expect([edge.statusCode, edge.headers]).toEqual([door.status, door.headers])
    const { callId: _, detail, ...document } = door.json()
    expect(JSON.parse(edge.body ?? '')).toEqual({ ...document, detail: expect.any(String) })
    expect(detail).toMatch(/^Authorization: is missing/)
  })
})

describe('the code', () => {
  test('fits the limit of CloudFront with the longest list of origins, and is refused past it', () => {
    const origins = (count: number) =>
      Array.from({ length: count }, (_, n) => `https://${'a'.repeat(40)}${n}.example`)
    const code = makeViewerCode({ ...STAGE, allowedOrigins: origins(33) })
    expect(Buffer.byteLength(code)).toBeLessThan(VIEWER_CODE_BYTES_MAX)
    expect(() => makeViewerCode({ ...STAGE, allowedOrigins: origins(400) })).toThrow(
      /^allowedOrigins: make the viewer function \d+ bytes long; shorten them so that it has 10240 at most$/,
    )
  })

  test('has no comment, no module and nothing that the runtime lacks', () => {
    const code = makeViewerCode(STAGE)
    expect(code).not.toMatch(/^\s*(?:\/\*|\/\/|\*|import|export)/m)
    expect(code).not.toMatch(/\bclass\b|\?\?|\?\.|\.\.\.|`|\beval\b|\bFunction\b|\brequire\b/)
  })
})
