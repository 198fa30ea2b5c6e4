/**
 * What a deployed gateway must do, asked from outside: each check is one sentence and one answer.
 * None of them changes anything; the one that calls a skill runs only when it was asked for.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { SmokeTarget } from './target.ts'

export type Check = { readonly says: string; readonly run: () => Promise<string | undefined> }

const WITHIN_MS = 20_000
const SSE_PATH = '/v1/mcp/sse'
/** Of the right shape, and nobody's. */
const NOBODYS_KEY = `sgk_${'A'.repeat(43)}`

/** Each answers what is wrong, in words; undefined when it holds. */
export function checksOf(target: SmokeTarget): readonly Check[] {
  const { sse, execute, internal, admin } = target
  const at = (path: string) => new URL(path, sse)
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const checks: Check[] = [
    { says: 'GET / says what this is', run: () => expectStatus(200, at('/')) },
    { says: 'GET /healthz answers', run: () => expectStatus(200, at('/healthz')) },
    {
      says: 'a client that looks for OAuth is told 404 in JSON',
      run: () => expectStatus(404, at('/.well-known/oauth-authorization-server')),
    },
    {
      says: 'POST to the stream is 405, on which clients fall back',
      run: () => expectStatus(405, at(SSE_PATH), { method: 'POST' }),
    },
    {
      says: 'an unknown key is 401',
      run: () => expectStatus(401, at(SSE_PATH), { headers: bearer(NOBODYS_KEY) }),
    },
    {
      says: 'a POST to a session that does not exist is 404',
      run: () => expectStatus(404, at(`/v1/mcp/messages?session_id=${'A'.repeat(43)}`), PING),
    },
    { says: 'the official client connects, lists and calls', run: () => officialClient(target) },
  ]
  if (execute !== undefined) {
    const url = new URL('/v1/execute', execute)
    checks.push(
      { says: 'GET /v1/execute is 405', run: () => expectStatus(405, url) },
      {
        says: 'execute without a key is 401',
        run: () => expectStatus(401, url, postOf({ skill: 'x' })),
      },
      {
        says: 'execute of an unknown skill is 404 and charges nothing',
        run: () =>
          expectStatus(404, url, postOf({ skill: 'smoke_no_such_skill' }, bearer(target.key))),
      },
    )
  }
  if (internal !== undefined) {
    const says = 'the internal execute URL refuses who is not signed'
    checks.push({
      says,
      run: () => expectStatus(403, new URL('/v1/execute', internal), postOf({ skill: 'x' })),
    })
  }
  if (admin !== undefined) {
    const url = new URL(`${admin.href.replace(/\/$/, '')}/refresh-tools`)
    checks.push({
      says: 'admin without a secret is 401',
      run: () => expectStatus(401, url, { method: 'POST' }),
    })
  }
  if (target.call !== undefined) {
    checks.push({
      says: `a call of ${target.call.skill} over the stream succeeds`,
      run: () => officialClient(target, target.call),
    })
    if (execute !== undefined) {
      checks.push({ says: 'the same over REST charges its price', run: () => restCall(target) })
    }
  }
  return checks
}

const PING = postOf({ jsonrpc: '2.0', id: 1, method: 'ping' })

function postOf(body: object, headers: { readonly [name: string]: string } = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

async function expectStatus(
  status: number,
  url: URL,
  init: RequestInit = {},
): Promise<string | undefined> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(WITHIN_MS) })
  const body = await response.text()
  if (response.status === status) return undefined
  return `answered ${response.status} instead of ${status}: ${body.slice(0, 200)}`
}

async function officialClient(
  { sse, key }: SmokeTarget,
  call?: SmokeTarget['call'],
): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${key}` }
  const transport = new SSEClientTransport(new URL(SSE_PATH, sse), {
    requestInit: { headers },
    eventSourceInit: {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }),
    },
  })
  const client = new Client({ name: 'skillgate-smoke', version: '1.0.0' })
  try {
    await client.connect(transport)
    const { tools } = await client.listTools()
    const account = tools.find(({ name }) => name.endsWith('_account'))
    if (account === undefined) return `lists ${tools.length} tools, and no account among them`
    const asked = call ?? { skill: account.name, arguments: {} }
    const result = await client.callTool({ name: asked.skill, arguments: { ...asked.arguments } })
    return result.isError === true ? `is an error: ${JSON.stringify(result.content)}` : undefined
  } finally {
    await client.close()
  }
}

async function restCall({ execute, key, call }: SmokeTarget): Promise<string | undefined> {
  const init = postOf(call ?? {}, { authorization: `Bearer ${key}` })
  return expectStatus(200, new URL('/v1/execute', execute), init)
}
