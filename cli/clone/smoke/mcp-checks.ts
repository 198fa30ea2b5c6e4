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

const MODERN_REVISION = '2026-07-28'

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
      run: () => officialClient(openMcpTransport(url, key)),
    },
    {
      says: `server/discover of ${MODERN_REVISION} names the revision`,
      run: () => checkDiscover(url, key),
    },
  ]
  if (call === undefined) return checks
  const says = `a call of ${call.skill} over Streamable HTTP succeeds`
  return [...checks, { says, run: () => officialClient(openMcpTransport(url, key), call) }]
}

function openMcpTransport(url: URL, key: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(key) } })
}

async function checkDiscover(url: URL, key: string): Promise<string | undefined> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }
  const headers = {
    ...bearer(key),
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': 'server/discover',
  }
  const { status, text } = await ask(url, postOf(body, headers))
  const isNamed = status === 200 && /"supportedVersions":\[[^\]]*"2026-07-28"/.test(text)
  return isNamed ? undefined : `answered ${status}: ${text.slice(0, 200)}`
}
