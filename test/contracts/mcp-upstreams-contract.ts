/** Contract of the port McpUpstreams: one writer of many takes a version. Bound by ADR 0123. */
import { describe, expect, test } from 'vitest'
import type { HeldListing } from '../../core/skills/upstreams/held.ts'
import type { McpUpstream, OfferedTool } from '../../core/skills/upstreams/upstream.ts'
import { atOnce, freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const NO_OFFERS = { new: 0, changed: 0, flagged: 0, gone: 0, unusable: 0 }

function upstreamOf(more: Partial<McpUpstream> = {}): McpUpstream {
  return {
    id: freshName('up-'),
    settings: {
      url: 'https://mcp.example/mcp',
      prefix: 'files',
      source: 'official',
      auth: { type: 'bearer', secret: 'FILES_KEY' },
      credits: 0.25,
      prices: { read: 1 },
      refresh_minutes: 60,
      pins: 'review',
      charge_tool_errors: false,
      resources: false,
    },
    status: { tools: 0, counts: NO_OFFERS, failures: 0 },
    version: 1,
    createdAtMs: 2_000_000_000_000,
    updatedAtMs: 2_000_000_000_000,
    by: 'ada',
    ...more,
  }
}

const OFFER: OfferedTool = {
  tool: 'read.file/é',
  state: 'changed',
  digest: 'd1',
  entry: { name: 'read.file/é', inputSchema: { type: 'object', maximum: 1.5 } },
  seenAtMs: 2_000_000_000_000,
  faults: ['holds U+200B'],
}

const HELD: HeldListing = {
  resources: [{ uri: 'file:///é', name: 'é', size: 1.5 }],
  resourceTemplates: [],
  prompts: [{ name: 'sum', arguments: [{ name: 'length', required: true }] }],
  left: 2,
}

export function describeMcpUpstreams(name: string, makePorts: MakePorts): void {
  describe(`${name}: MCP servers as upstreams`, () => {
    const opened = openedPorts(makePorts)

    test('a record is read and listed as it was put', async () => {
      const { mcpUpstreams } = opened()
      const plain = upstreamOf()
      const busy = upstreamOf({
        nextRefreshAtMs: 2_000_000_060_000,
        lease: { token: 't', untilMs: 2_000_000_120_000 },
        isDeleting: true,
      })
      for (const one of [plain, busy]) {
        expect(await mcpUpstreams.get(one.id)).toBeUndefined()
        expect(await mcpUpstreams.put(one, 0)).toBe(true)
        expect(await mcpUpstreams.get(one.id)).toEqual(one)
      }
      expect(await mcpUpstreams.list()).toEqual(expect.arrayContaining([plain, busy]))
    })

    test('a single one of 10 writers takes a version', async () => {
      const { mcpUpstreams } = opened()
      const one = upstreamOf()
      const made = await atOnce(10, () => mcpUpstreams.put(one, 0))
      expect(made.filter((won) => won)).toHaveLength(1)
      const next = await atOnce(10, (at) =>
        mcpUpstreams.put({ ...one, version: 2, by: `by-${at}` }, 1),
      )
      expect(next.filter((won) => won)).toHaveLength(1)
      expect(await mcpUpstreams.put({ ...one, version: 2 }, 1)).toBe(false)
    })

    test('a record is removed at its version alone', async () => {
      const { mcpUpstreams } = opened()
      const one = upstreamOf({ version: 7 })
      await mcpUpstreams.put(one, 0)
      expect(await mcpUpstreams.remove(one.id, 6)).toBe(false)
      expect(await mcpUpstreams.get(one.id)).toEqual(one)
      expect(await mcpUpstreams.remove(one.id, 7)).toBe(true)
      expect(await mcpUpstreams.remove(one.id, 7)).toBe(false)
      expect(await mcpUpstreams.get(one.id)).toBeUndefined()
    })

    test('offers of one upstream are replaced and dropped by tool, and are no other upstream’s', async () => {
      const { mcpUpstreams } = opened()
      const [id, other] = [freshName('up-'), freshName('up-')]
      const second: OfferedTool = { ...OFFER, tool: 'write', state: 'new', faults: [] }
      await mcpUpstreams.putOffer(id, OFFER)
      await mcpUpstreams.putOffer(id, second)
      expect(await mcpUpstreams.offers(id)).toEqual([OFFER, second])
      expect(await mcpUpstreams.offers(other)).toEqual([])
      await mcpUpstreams.putOffer(id, { ...OFFER, digest: 'd2' })
      await mcpUpstreams.dropOffer(id, 'write')
      await mcpUpstreams.dropOffer(id, 'write')
      expect(await mcpUpstreams.offers(id)).toEqual([{ ...OFFER, digest: 'd2' }])
    })

    test('what an upstream holds is replaced and dropped, and is no other upstream’s', async () => {
      const { mcpUpstreams } = opened()
      const [id, other] = [freshName('up-'), freshName('up-')]
      expect(await mcpUpstreams.held(id)).toBeUndefined()
      await mcpUpstreams.putHeld(id, { ...HELD, left: 1 })
      await mcpUpstreams.putHeld(id, HELD)
      expect(await mcpUpstreams.held(id)).toEqual(HELD)
      expect(await mcpUpstreams.held(other)).toBeUndefined()
      await mcpUpstreams.dropHeld(id)
      await mcpUpstreams.dropHeld(id)
      expect(await mcpUpstreams.held(id)).toBeUndefined()
    })
  })
}
