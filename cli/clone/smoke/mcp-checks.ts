/** Checks of Streamable HTTP from outside, for both eras. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ask,
  bearer,
  type Check,
  expectStatus,
  NOBODYS_KEY,
  officialClient,
  postOf,
} from './asking.ts'
import type { SmokeTarget } from './target.ts'

const MODERN = '2026-07-28'

export function mcpChecks(url: URL, { key, call }: SmokeTarget): readonly Check[] {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const checks: Check[] = [
    {
      says: 'GET of Streamable HTTP is 405: there is no stream to resume',
      run: () => expectStatus(405, url),
    },
    {
      says: 'an unknown key is 401 over Streamable HTTP',
      run: () => expectStatus(401, url, postOf(list, bearer(NOBODYS_KEY))),
    },
    {
      says: 'the official client initializes, lists and calls over Streamable HTTP',
      run: () => officialClient(transportTo(url, key)),
    },
    { says: `server/discover of ${MODERN} names the revision`, run: () => discover(url, key) },
  ]
  if (call === undefined) return checks
  const says = `a call of ${call.skill} over Streamable HTTP succeeds`
  return [...checks, { says, run: () => officialClient(transportTo(url, key), call) }]
}

function transportTo(url: URL, key: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(key) } })
}

async function discover(url: URL, key: string): Promise<string | undefined> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }
  const headers = {
    ...bearer(key),
    'mcp-protocol-version': MODERN,
    'mcp-method': 'server/discover',
  }
  const { status, text } = await ask(url, postOf(body, headers))
  const isNamed = status === 200 && /"supportedVersions":\[[^\]]*"2026-07-28"/.test(text)
  return isNamed ? undefined : `answered ${status}: ${text.slice(0, 200)}`
}
