/**
 * Lists the checks of a deployed gateway, from outside: HTTP+SSE, Streamable HTTP in both eras, and
 * REST. No check changes anything; the check that calls a skill runs only on request.
 */
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  buildPost,
  type Check,
  expectStatus,
  runOfficialClient,
  sendRequest,
  toBearerHeaders,
  UNKNOWN_KEY,
} from './requests.ts'
import type { SmokeTarget } from './target.ts'
import { checkTask } from './task-check.ts'

const SSE_PATH = '/v1/mcp/sse'

export function listChecks(target: SmokeTarget): readonly Check[] {
  const { sse, mcp, execute, internal, admin } = target
  const at = (path: string) => new URL(path, sse)
  const checks: Check[] = [
    { says: 'GET / describes the gateway', run: () => expectStatus(200, at('/')) },
    { says: 'GET /healthz answers', run: () => expectStatus(200, at('/healthz')) },
    {
      says: 'a client that looks for a login gets its document, or 404',
      run: () => expectStatus([200, 404], at('/.well-known/oauth-authorization-server')),
    },
    {
      says: 'POST to the stream is 405, on which clients fall back',
      run: () => expectStatus(405, at(SSE_PATH), { method: 'POST' }),
    },
    {
      says: 'an unknown key is 401',
      run: () => expectStatus(401, at(SSE_PATH), { headers: toBearerHeaders(UNKNOWN_KEY) }),
    },
    {
      says: 'a POST to a session that does not exist is 404',
      run: () => expectStatus(404, at(`/v1/mcp/messages?session_id=${'A'.repeat(43)}`), PING),
    },
    {
      says: 'the official client connects, lists and calls',
      run: () => runOfficialClient(openStreamTransport(target)),
    },
  ]
  if (mcp !== undefined) checks.push(...listMcpChecks(mcp, target))
  if (mcp !== undefined && target.task !== undefined) checks.push(checkTask(mcp, target))
  if (execute !== undefined) {
    const url = new URL('/v1/execute', execute)
    checks.push(
      { says: 'GET /v1/execute is 405', run: () => expectStatus(405, url) },
      {
        says: 'execute without a key is 401',
        run: () => expectStatus(401, url, buildPost({ skill: 'x' })),
      },
      {
        says: 'execute of an unknown skill is 404 and charges nothing',
        run: () =>
          expectStatus(
            404,
            url,
            buildPost({ skill: 'smoke_no_such_skill' }, toBearerHeaders(target.key)),
          ),
      },
    )
  }
  if (internal !== undefined) {
    const says = 'the internal execute URL refuses unsigned requests'
    checks.push({
      says,
      run: () => expectStatus(403, new URL('/v1/execute', internal), buildPost({ skill: 'x' })),
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
      run: () => runOfficialClient(openStreamTransport(target), target.call),
    })
    if (execute !== undefined) {
      checks.push({ says: 'the same over REST charges its price', run: () => callOverRest(target) })
    }
  }
  return checks
}

const PING = buildPost({ jsonrpc: '2.0', id: 1, method: 'ping' })

function openStreamTransport({ sse, key }: SmokeTarget): SSEClientTransport {
  const headers = toBearerHeaders(key)
  return new SSEClientTransport(new URL(SSE_PATH, sse), {
    requestInit: { headers },
    eventSourceInit: {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }),
    },
  })
}

async function callOverRest({ execute, key, call }: SmokeTarget): Promise<string | undefined> {
  const init = buildPost(call ?? {}, toBearerHeaders(key))
  return expectStatus(200, new URL('/v1/execute', execute), init)
}

const MODERN_REVISION = '2026-07-28'

function listMcpChecks(url: URL, { key, call }: SmokeTarget): readonly Check[] {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const checks: Check[] = [
    {
      says: 'GET of Streamable HTTP is 405: there is no stream to resume',
      // A gateway with a login answers one without a key before it looks at the method.
      run: () => expectStatus(405, url, { headers: toBearerHeaders(key) }),
    },
    {
      says: 'an unknown key is 401 over Streamable HTTP',
      run: () => expectStatus(401, url, buildPost(list, toBearerHeaders(UNKNOWN_KEY))),
    },
    {
      says: 'the official client initializes, lists and calls over Streamable HTTP',
      run: () => runOfficialClient(openMcpTransport(url, key)),
    },
    {
      says: `server/discover of ${MODERN_REVISION} names the revision`,
      run: () => checkDiscover(url, key),
    },
  ]
  if (call === undefined) return checks
  const says = `a call of ${call.skill} over Streamable HTTP succeeds`
  return [...checks, { says, run: () => runOfficialClient(openMcpTransport(url, key), call) }]
}

function openMcpTransport(url: URL, key: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(url, { requestInit: { headers: toBearerHeaders(key) } })
}

async function checkDiscover(url: URL, key: string): Promise<string | undefined> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }
  const headers = {
    ...toBearerHeaders(key),
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': 'server/discover',
  }
  const { status, text } = await sendRequest(url, buildPost(body, headers))
  const isNamed = status === 200 && /"supportedVersions":\[[^\]]*"2026-07-28"/.test(text)
  return isNamed ? undefined : `answered ${status}: ${text.slice(0, 200)}`
}
