/**
 * Requests and expected replies of bench:mcp: tools/call and tools/list of two revisions, as
 * their clients write them. CITY stands where the load generator puts what is each request's own:
 * its id, and the city of a call.
 */
import type { Target } from '../lib/target.ts'

export const OPERATIONS = ['tools/call', 'tools/list'] as const
export type Operation = (typeof OPERATIONS)[number]

/** The newest with a handshake, which no server here asks for, and the stateless one. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const
export type BenchRevision = (typeof REVISIONS)[number]

/** Names by which one server can be asked and its list be known to be whole. */
export type BenchNames = { readonly called: string; readonly lastListed: string }

/** Number of tools in a list, the same for every server. */
export const TOOLS_LISTED = 20

export type BenchMessage = Pick<Target, 'body' | 'wants'> & {
  readonly headers: Target['headers'][0]
}

export function benchMessage(
  operation: Operation,
  revision: BenchRevision,
  names: BenchNames,
): BenchMessage {
  const args = operation === 'tools/call' ? { name: names.called, arguments: { city: 'CITY' } } : {}
  const isModern = revision === '2026-07-28'
  const params = isModern ? { ...args, _meta: envelope(revision) } : args
  const modern = { 'mcp-method': operation, ...nameHeader(operation, names) }
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isModern ? modern : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'CITY', method: operation, params }),
    // The text of a call's answer is JSON within JSON.
    wants: ['"id":"CITY"', operation === 'tools/call' ? '\\"CITY\\"' : `"${names.lastListed}"`],
  }
}

function nameHeader(
  operation: Operation,
  { called }: BenchNames,
): { readonly 'mcp-name'?: string } {
  return operation === 'tools/call' ? { 'mcp-name': called } : {}
}

function envelope(revision: BenchRevision) {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}
