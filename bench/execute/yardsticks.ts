/** The two yardsticks of bench:execute as targets; their own files describe them. */
import { startMeasured } from '../lib/measured-process.ts'
import type { Target } from '../lib/target.ts'

/** The stateless revision: one POST is a whole call. */
const REVISION = '2026-07-28'
const JSON_TYPE = { 'content-type': 'application/json' }

export async function startBare(name: string, upstreamUrl: string): Promise<Target> {
  const process = await startMeasured('bench/execute/yardstick-bare.ts', [upstreamUrl])
  return {
    name,
    process,
    url: `${process.ready['url']}/v1/execute`,
    headers: [JSON_TYPE],
    body: '{"skill":"weather","arguments":{"city":"CITY"}}',
    wants: ['"isError":false'],
  }
}

export async function startSdk(name: string, upstreamUrl: string): Promise<Target> {
  const process = await startMeasured('bench/execute/yardstick-sdk.ts', [upstreamUrl])
  const headers = {
    ...JSON_TYPE,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': 'weather',
  }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'weather', arguments: { city: 'CITY' }, _meta: envelope }
  return {
    name,
    process,
    url: `${process.ready['url']}/mcp`,
    headers: [headers],
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    wants: ['"structuredContent"'],
  }
}
