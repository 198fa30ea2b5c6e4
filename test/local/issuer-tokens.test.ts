/** A whole twin that accepts tokens of an authorization server on this machine. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { toIdentityId } from '../../core/access/identity.ts'
import type { IssuerSetting } from '../../core/issuers/issuer-setting.ts'
import type { TwinPorts } from '../../local/http/doors.ts'
import { DEMO_USER } from '../../local/seed/seed-users.ts'
import { startTestIssuer, type TestIssuer } from '../issuers/test-issuer.ts'
import { type LoginTwin, startLoginTwin } from './login-twin.ts'

const ADMIN_AUDIENCE = 'https://admin.example/v1/admin'
const ADMIN: NonNullable<IssuerSetting['admin']> = {
  audiences: [ADMIN_AUDIENCE],
  clientId: 'skillgate-cli',
  roleOf: { claim: 'groups', values: { chiefs: 'owner' } },
}

let issuer: TestIssuer
let twin: LoginTwin

beforeAll(async () => {
  issuer = await startTestIssuer()
  let ports: TwinPorts | undefined
  const keepPorts = (opened: TwinPorts) => {
    ports = opened
    return opened
  }
  const issuers = [{ ...issuer.setting, admin: ADMIN }]
  const options = { login: false, issuers, outboundAllow: ['127.0.0.1'] }
  twin = await startLoginTwin(options, { wrapPorts: keepPorts })
  const keyHash = toIdentityId(nodeDigests(), { issuer: issuer.url, subject: 'ada' })
  const nowMs = Date.now()
  await ports?.keys.put({
    keyHash,
    uid: DEMO_USER.uid,
    username: DEMO_USER.uid,
    keyPrefix: '127.0.0.1',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 86_400_000,
    renewedAtMs: nowMs,
  })
})
afterAll(async () => {
  await twin.stop()
  await issuer.stop()
})

const challengeAt = (path: string, error: string) =>
  `Bearer resource_metadata="${twin.origin}/.well-known/oauth-protected-resource${path}", scope="tools:read tools:call", error="${error}"`

async function connect(token: string): Promise<Client> {
  const agent = new Client({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const url = new URL(`${twin.origin}/mcp`)
  await agent.connect(new StreamableHTTPClientTransport(url, { requestInit }) as Transport)
  return agent
}

function execute(token: string): Promise<Response> {
  return fetch(`${twin.origin}/v1/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill: 'sg_echo', arguments: { text: 'hi' } }),
  })
}

function openStream(token: string, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${twin.origin}/v1/mcp/sse`, { headers, ...(signal && { signal }) })
}

function askAdmin(token: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${twin.origin}/v1/admin/users`, { headers })
}

describe('a token of the issuer', () => {
  test('lists and calls with the official client', async () => {
    const agent = await connect(await issuer.sign())
    expect((await agent.listTools()).tools.map(({ name }) => name)).toContain('sg_echo')
    const result = await agent.callTool({ name: 'sg_echo', arguments: { text: 'by token' } })
    expect(JSON.stringify(result.content)).toContain('by token')
    await agent.close()
  })

  test('calls at /v1/execute, and opens a stream', async () => {
    const token = await issuer.sign()
    expect((await execute(token)).status).toBe(200)
    const leave = new AbortController()
    const stream = await openStream(token, leave.signal)
    expect(stream.status).toBe(200)
    leave.abort()
  })

  test('with tools:read alone lists, and its call is refused with all scopes', async () => {
    const token = await issuer.sign({ scope: 'openid tools:read' })
    const agent = await connect(token)
    expect((await agent.listTools()).tools).not.toEqual([])
    await agent.close()
    const called = await twin.call(token)
    expect([called.status, called.headers.get('www-authenticate')]).toEqual([
      403,
      challengeAt('/mcp', 'insufficient_scope'),
    ])
  })

  test.each<[string, object]>([
    ['for another audience', { aud: 'https://other.example' }],
    ['that has expired', { exp: 1_000 }],
    ['of another issuer', { iss: 'https://other.example' }],
  ])('%s is refused at every door', async (_what, claims) => {
    const token = await issuer.sign({ ...claims })
    const called = await twin.call(token)
    expect([called.status, called.headers.get('www-authenticate')]).toEqual([
      401,
      challengeAt('/mcp', 'invalid_token'),
    ])
    expect((await execute(token)).headers.get('www-authenticate')).toBe(
      challengeAt('/v1/execute', 'invalid_token'),
    )
  })

  test('for agents opens no admin API, whatever role it claims', async () => {
    const token = await issuer.sign({ groups: ['chiefs'] })
    expect((await twin.call(token)).status).toBe(200)
    const asked = await askAdmin(token)
    expect([asked.status, await asked.json()]).toMatchObject([401, { code: 'unauthenticated' }])
  })

  test('for administrators opens no door of agents, whatever scopes it claims', async () => {
    const token = await issuer.sign({ aud: ADMIN_AUDIENCE, groups: ['chiefs'] })
    expect((await askAdmin(token)).status).toBe(200)
    const called = await twin.call(token)
    expect([called.status, called.headers.get('www-authenticate')]).toEqual([
      401,
      challengeAt('/mcp', 'invalid_token'),
    ])
    expect((await execute(token)).status).toBe(401)
    expect((await openStream(token)).status).toBe(401)
  })

  test('appears in no line of the log', async () => {
    const tokens = [await issuer.sign({ scope: 'openid' }), await issuer.sign({ aud: 'x' })]
    for (const token of tokens) {
      await twin.call(token)
      await execute(token)
    }
    const log = JSON.stringify(twin.lines)
    expect(log).toContain('refused (insufficient_scope)')
    for (const token of tokens) expect(log).not.toContain(token.split('.')[2])
  })
})

test('the document of the resource names the issuer', async () => {
  for (const path of ['', '/mcp', '/v1/mcp/sse', '/v1/execute']) {
    const answer = await fetch(`${twin.origin}/.well-known/oauth-protected-resource${path}`)
    expect(await answer.json()).toMatchObject({
      resource: `${twin.origin}${path === '' ? '/mcp' : path}`,
      authorization_servers: [issuer.url],
    })
  }
})

test('the metadata of a server on this origin lead to those of the issuer', async () => {
  const answer = await fetch(`${twin.origin}/.well-known/oauth-authorization-server`)
  expect([answer.status, await answer.json()]).toMatchObject([200, { issuer: issuer.url }])
  expect((await fetch(`${twin.origin}/.well-known/openid-configuration`)).status).toBe(404)
})
