import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { credentialOf } from '../../bench/lib/credential.ts'
import { type LoginClient, makeClient, tokensOf } from './login-client.ts'
import { logIn } from './login-person.ts'
import { connectSdk, makeProvider } from './login-sdk.ts'
import { type LoginTwin, startLoginTwin } from './login-twin.ts'

let twin: LoginTwin
let client: LoginClient

beforeAll(async () => {
  twin = await startLoginTwin()
  client = await makeClient(twin.origin)
})
afterAll(() => twin.stop())

describe('the official client', () => {
  test('logs in by itself, calls, refreshes an expired token and calls again', async () => {
    const provider = makeProvider()
    await expect(connectSdk(twin.origin, provider)).rejects.toThrow('Unauthorized')
    const callback = await logIn(twin.origin, provider.opened(), twin.credentials.key)
    const authorizationCode = callback.searchParams.get('code') ?? ''
    expect(await auth(provider, { serverUrl: `${twin.origin}/mcp`, authorizationCode })).toBe(
      'AUTHORIZED',
    )
    const agent = await connectSdk(twin.origin, provider)
    const names = (await agent.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('sg_weather')
    const before = provider.tokens()?.access_token
    twin.advance(3_600_000)
    const result = await agent.callTool({ name: 'sg_echo', arguments: { text: 'again' } })
    expect(JSON.stringify(result.content)).toContain('again')
    expect(provider.tokens()?.access_token).not.toBe(before)
    await agent.close()
  })
})

describe('a login', () => {
  test('calls as its user and key, and is charged like them', async () => {
    const { access_token, expires_in, scope, token_type } = await client.logIn(twin.credentials.key)
    expect({ expires_in, scope, token_type }).toEqual({
      expires_in: 3_600,
      scope: 'tools:read tools:call',
      token_type: 'Bearer',
    })
    const account = async (token: string) =>
      JSON.parse(JSON.parse((await twin.call(token, 'sg_account', {})).text).result.content[0].text)
    const before = await account(twin.credentials.key)
    const weather = await twin.call(access_token, 'sg_weather', { city: 'Oslo' })
    expect(weather.text).toContain('light rain')
    expect(await account(twin.credentials.key)).toMatchObject({
      username: 'demo',
      credits: before.credits - 0.5,
    })
    expect((await account(access_token)).username).toBe('demo')
  })

  test('gets the answer of an earlier call with its Idempotency-Key after a refresh', async () => {
    const first = await client.logIn(twin.credentials.key)
    const ask = async (token: string) => {
      const answer = await fetch(`${twin.origin}/v1/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': 'same',
        },
        body: JSON.stringify({ skill: 'sg_weather', arguments: { city: 'Oslo' } }),
      })
      return { replayed: answer.headers.get('idempotency-replayed'), text: await answer.text() }
    }
    const before = await ask(first.access_token)
    const { access_token } = tokensOf(await client.refresh(first.refresh_token))
    const after = await ask(access_token)
    expect(after).toEqual({ replayed: 'true', text: before.text })
  })

  test('is another caller than its key to an Idempotency-Key, and loses no answer by it', async () => {
    const { access_token } = await client.logIn(twin.credentials.key)
    const ask = async (token: string) => {
      const answer = await fetch(`${twin.origin}/v1/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': 'of-the-key',
        },
        body: JSON.stringify({ skill: 'sg_weather', arguments: { city: 'Oslo' } }),
      })
      return answer.status
    }
    expect(await ask(twin.credentials.key)).toBe(200)
    expect(await ask(access_token)).toBe(409)
    expect(await ask(twin.credentials.key)).toBe(200)
  })

  test('opens a stream of HTTP+SSE', async () => {
    const { access_token } = await client.logIn(twin.credentials.key)
    const stream = await fetch(`${twin.origin}/v1/mcp/sse`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect(stream.status).toBe(200)
    await stream.body?.cancel()
  })

  test('is no credential of administrators', async () => {
    const { access_token } = await client.logIn(twin.credentials.key)
    const answers = await Promise.all(
      [{ 'x-admin-key': access_token }, { authorization: `Bearer ${access_token}` }].map(
        (headers) => fetch(`${twin.origin}/v1/admin/users`, { headers }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })

  test('ends within 30 s when its key is revoked, and gets no new token', async () => {
    const { key, keyId } = await issueKey('revoked')
    const tokens = await client.logIn(key)
    expect((await twin.call(tokens.access_token)).status).toBe(200)
    expect((await twin.admin('DELETE', `users/revoked/keys/${keyId}`)).status).toBe(204)
    expect(await client.refresh(tokens.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    twin.advance(30_000)
    const refused = await twin.call(tokens.access_token)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${twin.origin}/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:call", error="invalid_token"`,
    )
  })

  test('whose user is disabled gets no new token', async () => {
    const { key } = await issueKey('disabled')
    const tokens = await client.logIn(key)
    await twin.admin('PATCH', 'users/disabled', {
      state: 'disabled',
      reason: 'left the company',
    })
    const answer = await client.refresh(tokens.refresh_token)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('whose code is sent twice ends, because one of the senders has stolen it', async () => {
    const callback = await logIn(twin.origin, client.authorizeUrl(), twin.credentials.key)
    const code = callback.searchParams.get('code') ?? ''
    const { access_token, refresh_token } = tokensOf(await client.exchange(code))
    expect((await client.exchange(code)).status).toBe(400)
    expect((await client.refresh(refresh_token)).status).toBe(400)
    expect((await twin.call(access_token)).status).toBe(401)
  })

  test('gives three refreshes at once the same refresh token, and ends once the old one comes late', async () => {
    const { refresh_token: first } = await client.logIn(twin.credentials.key)
    const answers = await Promise.all([1, 2, 3].map(() => client.refresh(first)))
    const tokens = answers.map(tokensOf)
    expect(new Set(tokens.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    expect(new Set(tokens.map(({ access_token }) => access_token)).size).toBe(3)
    const [next] = tokens
    expect((await client.refresh(next?.refresh_token ?? '')).status).toBe(200)
    expect((await client.refresh(first)).status).toBe(400)
    expect((await client.refresh(next?.refresh_token ?? '')).status).toBe(400)
  })

  test('a copy of the store contains no token, code or handle of a login, and no secret made of one or of the key', async () => {
    const data = mkdtempSync(join(tmpdir(), 'skillgate-login-'))
    const kept = await startLoginTwin({ memory: false, data })
    const program = await makeClient(kept.origin)
    const callback = await logIn(kept.origin, program.authorizeUrl(), kept.credentials.key)
    const code = callback.searchParams.get('code') ?? ''
    const { access_token, refresh_token } = tokensOf(await program.exchange(code))
    await kept.stop()
    const files = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && file.name !== 'credentials.json')
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    rmSync(data, { recursive: true })
    const handle = code.slice(4, 26)
    expect([access_token.slice(4, 26), refresh_token.slice(4, 26)]).toEqual([handle, handle])
    const sealingKeys = [access_token, kept.credentials.key].map(toSealingKeyOf)
    const secrets = [handle, access_token.slice(26), kept.credentials.key, ...sealingKeys]
    for (const text of secrets) {
      expect(files.filter((file) => file.includes(text))).toEqual([])
    }
  })

  test('that its client revokes ends', async () => {
    const { access_token, refresh_token } = await client.logIn(twin.credentials.key)
    const answer = await fetch(`${twin.origin}/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: access_token }).toString(),
    })
    expect(answer.status).toBe(200)
    expect((await client.refresh(refresh_token)).status).toBe(400)
    expect((await twin.call(access_token)).status).toBe(401)
  })

  async function issueKey(username: string): Promise<{ key: string; keyId: string }> {
    await twin.admin('POST', 'users', { uid: username, username })
    const { body } = await twin.admin('POST', `users/${username}/keys`, {})
    return body
  }
})

describe('a caller without a credential', () => {
  test.each(['GET', 'POST'])('is told by %s where to log in', async (method) => {
    const answer = await fetch(`${twin.origin}/mcp`, { method })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${twin.origin}/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:call"`,
    )
  })
})

function toSealingKeyOf(sent: string): string {
  const credential = credentialOf(`Bearer ${sent}`)
  return credential.kind === 'key' ? credential.sealingKey : ''
}
